import type { Usage } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import { tokenCount } from "../cost.ts";
import { asObject, type Loose } from "../wire.ts";

export type Told = Omit<Usage, "cost"> & { cost?: number };

/** Usage of a chat answer: the prompt's count includes what was read from the cache, so that is taken out. */
export function chatUsage(told: Loose, model: ModelRef): Told {
  const prompt = tokenCount(told.prompt_tokens);
  const cached =
    tokenCount(asObject(told.prompt_tokens_details).cached_tokens) ??
    tokenCount(told.prompt_cache_hit_tokens) ??
    0;
  const cost = model.provider === "openrouter" && typeof told.cost === "number" ? { cost: told.cost } : {};
  return { ...splitInput(prompt, cached), output: tokenCount(told.completion_tokens), ...cost };
}

/** Splits an input count that includes the cached part. */
export function splitInput(
  whole: number | null,
  cached: number,
): Pick<Told, "input" | "cacheRead" | "cacheWrite"> {
  if (whole === null) return { input: null, cacheRead: null, cacheWrite: null };
  return { input: Math.max(0, whole - cached), cacheRead: cached, cacheWrite: 0 };
}

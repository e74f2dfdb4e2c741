import type { ModelRef } from "../../protocol/model-port.ts";

/** How one service's Chat Completions differ from the others'. */
export type Quirks = {
  maxTokens: "max_tokens" | "max_completion_tokens";
  /** Asks for usage in the stream; Mistral refuses the field and tells usage unasked. */
  usageOption: boolean;
  /** Sends `prompt_cache_key`, which routes to a warm cache; others refuse unknown fields. */
  cacheKey: boolean;
  callIds: "plain" | "short";
};

export function quirksOf(model: ModelRef): Quirks {
  const host = URL.canParse(model.baseUrl) ? new URL(model.baseUrl).hostname : "";
  const at = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
  const openai = at("api.openai.com");
  const mistral = at("mistral.ai");
  return {
    maxTokens: openai || at("openai.azure.com") ? "max_completion_tokens" : "max_tokens",
    usageOption: !mistral,
    cacheKey: openai,
    callIds: mistral ? "short" : "plain",
  };
}

import type { Usage } from "../../protocol/message.ts";
import { tokenCount } from "../cost.ts";
import { asObject } from "../wire.ts";

type Tokens = Omit<Usage, "cost">;

/**
 * Usage over a stream. `message_start` and `message_delta` tell running totals of the same message, so the
 * later count replaces the earlier and nothing is added.
 */
export function createAnthropicUsage(): { told(usage: unknown): void; tokens(): Tokens } {
  const latest: Tokens = { input: null, output: null, cacheRead: null, cacheWrite: null };
  const take = (name: keyof Tokens, value: unknown): void => {
    const count = tokenCount(value);
    if (count !== null) latest[name] = count;
  };
  return {
    told(usage) {
      const told = asObject(usage);
      take("input", told.input_tokens);
      take("output", told.output_tokens);
      take("cacheRead", told.cache_read_input_tokens);
      take("cacheWrite", told.cache_creation_input_tokens);
    },
    tokens() {
      if (latest.input === null) return latest;
      // Services without a cache tell the input alone: then there was nothing else.
      return { ...latest, cacheRead: latest.cacheRead ?? 0, cacheWrite: latest.cacheWrite ?? 0 };
    },
  };
}

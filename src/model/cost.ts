import type { Usage } from "../protocol/message.ts";
import type { ModelRef } from "../protocol/model-port.ts";

/** US dollars of one call; null when the price is unknown or the service did not tell its tokens. */
export function costOf(usage: Omit<Usage, "cost">, price: ModelRef["price"]): number | null {
  if (!price || usage.input === null || usage.output === null) return null;
  const micro =
    usage.input * price.input +
    usage.output * price.output +
    (usage.cacheRead ?? 0) * price.cacheRead +
    (usage.cacheWrite ?? 0) * price.cacheWrite;
  return micro / 1_000_000;
}

/** A count as a service sent it: whole and not negative, or null. */
export function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
}

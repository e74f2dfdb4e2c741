import type { Usage } from "../protocol/message.ts";

/** The total of no call at all: it cost nothing. */
export const ZERO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: 0 };

/**
 * Sums two usages. Tokens that one side does not know are taken from the other; but a total cost is unknown as
 * soon as the cost of one call is.
 */
export function addUsage(total: Usage, more: Usage): Usage {
  return {
    input: sum(total.input, more.input),
    output: sum(total.output, more.output),
    cacheRead: sum(total.cacheRead, more.cacheRead),
    cacheWrite: sum(total.cacheWrite, more.cacheWrite),
    cost: total.cost === null || more.cost === null ? null : total.cost + more.cost,
  };
}

/** Tokens of all classes together; what is not known counts as none. */
export function tokensOf(usage: Usage): number {
  return (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** False for a usage that says nothing at all, as of a call that never reached the provider. */
export function isKnown(usage: Usage): boolean {
  return (
    usage.input !== null || usage.output !== null || usage.cacheRead !== null || usage.cacheWrite !== null
  );
}

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b);

import type { Usage } from "../protocol/message.ts";

/** Nothing known. */
export const NO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null };

/**
 * Sums two usages. What one side does not know is taken from the other; but a total cost is unknown as soon as
 * the cost of any call that used tokens is.
 */
export function addUsage(total: Usage, more: Usage): Usage {
  return {
    input: sum(total.input, more.input),
    output: sum(total.output, more.output),
    cacheRead: sum(total.cacheRead, more.cacheRead),
    cacheWrite: sum(total.cacheWrite, more.cacheWrite),
    cost: !isKnown(total) ? more.cost : !isKnown(more) ? total.cost : bothOrNone(total.cost, more.cost),
  };
}

/** Tokens of all classes together; what is not known counts as none. */
export function tokensOf(usage: Usage): number {
  return (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** False for a usage that says nothing at all. */
export function isKnown(usage: Usage): boolean {
  return (
    usage.input !== null || usage.output !== null || usage.cacheRead !== null || usage.cacheWrite !== null
  );
}

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b);

const bothOrNone = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;

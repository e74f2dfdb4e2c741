import type { Usage } from "../../protocol/message.ts";

/** Sums of two usages; what either does not know counts as nothing, and stays unknown when neither knows. */
export function addUsage(left: Usage, right: Usage): Usage {
  const nothing =
    left.input === null && left.output === null && left.cacheRead === null && left.cacheWrite === null;
  if (nothing) return right;
  const sum = (a: number | null, b: number | null): number | null =>
    a === null && b === null ? null : (a ?? 0) + (b ?? 0);
  return {
    input: sum(left.input, right.input),
    output: sum(left.output, right.output),
    cacheRead: sum(left.cacheRead, right.cacheRead),
    cacheWrite: sum(left.cacheWrite, right.cacheWrite),
    cost: left.cost === null || right.cost === null ? null : left.cost + right.cost,
  };
}

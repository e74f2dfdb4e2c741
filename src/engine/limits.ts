import type { LimitKind, Limits } from "../protocol/session.ts";
import type { Turn } from "./state.ts";
import { tokensOf } from "./usage.ts";

/** The first limit that the turn has used up, or none. */
export function spentLimit(turn: Turn, now: number): LimitKind | null {
  const { limits } = turn.settings;
  if (isSpent(turn.steps, limits.maxSteps)) return "steps";
  if (isSpent(turn.toolCalls, limits.maxToolCalls)) return "tool_calls";
  if (isSpent(tokensOf(turn.usage), limits.maxTokens)) return "tokens";
  if (isSpent(turn.usage.cost ?? 0, limits.maxCostUsd)) return "cost";
  if (isSpent((now - turn.startedAt) / 1000, limits.maxSeconds)) return "time";
  return null;
}

const isSpent = (used: number, limit: number | null): boolean => limit !== null && used >= limit;

/** What a limit is called when it is reached, for people. */
export function limitMessage(limit: LimitKind, limits: Limits): string {
  switch (limit) {
    case "steps":
      return `reached the limit of ${limits.maxSteps} steps`;
    case "tool_calls":
      return `reached the limit of ${limits.maxToolCalls} tool calls`;
    case "tokens":
      return `reached the limit of ${limits.maxTokens} tokens`;
    case "cost":
      return `reached the limit of $${limits.maxCostUsd}`;
    case "time":
      return `reached the limit of ${limits.maxSeconds} seconds`;
  }
}

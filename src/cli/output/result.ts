import type { JsonObject } from "../../protocol/ids.ts";
import type { Usage } from "../../protocol/message.ts";
import type { Outcome } from "../../protocol/session.ts";
import { usageOf } from "./anthropic-shapes.ts";
import type { TurnFinished } from "./run-output.ts";

/** The `result` object of the json and stream-json formats. */
export function resultObject(
  turn: TurnFinished,
  exitCode: number,
  run: { sessionId: string; uuid: string; modelUsage: ReadonlyMap<string, Usage>; sandbox: string },
): JsonObject {
  const { outcome } = turn;
  const success = outcome.type === "done";
  const message = outcomeMessage(outcome);
  return {
    type: "result",
    subtype: subtypeOf(outcome),
    is_error: !success,
    result: turn.text,
    num_turns: turn.steps,
    duration_ms: turn.durationMs,
    duration_api_ms: turn.apiMs,
    total_cost_usd: turn.usage.cost,
    usage: usageOf(turn.usage),
    modelUsage: Object.fromEntries(
      [...run.modelUsage].map(([model, usage]) => [model, { ...usageOf(usage), cost_usd: usage.cost }]),
    ),
    permission_denials: turn.denials.map((denial) => ({
      tool_name: denial.tool,
      tool_use_id: denial.callId,
      tool_input: denial.input,
      reason: denial.reason,
    })),
    errors: message === null ? [] : [message],
    outcome: outcome.type,
    exit_code: exitCode,
    sandbox: run.sandbox,
    session_id: run.sessionId,
    uuid: run.uuid,
  };
}

function subtypeOf(outcome: Outcome): string {
  if (outcome.type === "done") return "success";
  if (outcome.type === "limit") {
    return outcome.limit === "tokens" || outcome.limit === "cost"
      ? "error_max_budget_usd"
      : "error_max_turns";
  }
  return "error_during_execution";
}

/** What a person is told about an outcome; null for a plain success. */
export function outcomeMessage(outcome: Outcome): string | null {
  switch (outcome.type) {
    case "done":
      return null;
    case "failed":
      return outcome.error.message;
    case "limit":
      return `stopped: the limit on ${LIMIT_WORDS[outcome.limit]} was reached`;
    case "denied":
    case "schema":
    case "cut":
      return outcome.message;
    case "refused":
      return `refused by the model: ${outcome.message}`;
    case "interrupted":
      return "interrupted";
  }
}

const LIMIT_WORDS = {
  steps: "model calls",
  tool_calls: "tool calls",
  tokens: "tokens",
  cost: "cost",
  time: "time",
} as const;

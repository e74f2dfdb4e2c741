import { contextBudget, contextSize, surelyWithin } from "../../context/compaction/context-size.ts";
import { shownHistory } from "../../context/compaction/shown-history.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";

/** Estimated tokens of a conversation that has passed its budget; null while it is within. */
export function pastBudget(
  history: readonly Message[],
  prefix: { system: string; tools: ToolSpec[] },
  model: ModelRef,
  runtime: SessionRuntime,
): number | null {
  // A paused answer goes on where it stopped: nothing may come between.
  if (history.at(-1)?.stopReason === "pause_turn") return null;
  const shown = shownHistory(history);
  const budget = contextBudget(model, runtime.settings.config.context.compactAt);
  if (surelyWithin(shown, prefix, model.id, budget)) return null;
  const { tokens, estimate } = contextSize(shown, prefix, model.id);
  return tokens > budget ? estimate : null;
}

import type { ToolResultBlock, ToolResultStatus } from "../protocol/message.ts";
import type { CallRecord } from "../protocol/session.ts";
import { addMessage, change, changeTurn, type Draft, setCall } from "./draft.ts";

/** Ends one call with its result; a denial is listed for the turn. */
export function finishCall(draft: Draft, call: CallRecord, result: ToolResultBlock): void {
  const startedAt = call.status === "running" ? call.startedAt : undefined;
  const { id, name, input } = call;
  setCall(draft, { id, name, input, status: "done", result, startedAt, finishedAt: draft.now });
  if (result.status !== "denied" || !draft.state.turn) return;
  const [first] = result.content;
  const reason = first?.type === "text" ? first.text : "denied";
  changeTurn(draft, { denials: [...draft.state.turn.denials, { callId: id, tool: name, input, reason }] });
}

/** A result that is only a text. */
export function textResult(callId: string, status: ToolResultStatus, text: string): ToolResultBlock {
  return { type: "tool_result", callId, status, content: [{ type: "text", text }] };
}

/** Ends every call that is not done yet. */
export function answerAll(draft: Draft, status: ToolResultStatus, text: string): void {
  for (const call of draft.state.calls) {
    if (call.status !== "done") finishCall(draft, call, textResult(call.id, status, text));
  }
}

export const allDone = (draft: Draft): boolean => draft.state.calls.every((call) => call.status === "done");

/**
 * Puts the results of the step into the conversation: one message, in the order of the calls. Counts the
 * steps in which nothing but denials came out.
 */
export function storeResults(draft: Draft): void {
  const { calls, turn } = draft.state;
  if (calls.length === 0) return;
  const results = calls.flatMap((call) => (call.status === "done" ? [call.result] : []));
  addMessage(draft, { role: "user", kind: "tool_results", origin: "harness", content: results });
  const onlyDenied = results.every((result) => result.status === "denied");
  changeTurn(draft, { deniedSteps: onlyDenied ? (turn?.deniedSteps ?? 0) + 1 : 0 });
  change(draft, { calls: [], approvals: [] });
}

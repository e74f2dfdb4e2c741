import type { JsonObject } from "../protocol/ids.ts";
import type { ToolResultBlock, ToolResultStatus } from "../protocol/message.ts";
import type { CallRecord } from "../protocol/session.ts";
import { addMessage, change, changeTurn, type Draft, setCall } from "./draft.ts";
import { countRound } from "./plans.ts";

/** The turn's state is stored after every input, so the list of denials must not grow without end. */
const MAX_DENIALS = 500;
const DENIED_INPUT_CHARS = 1000;

/** Ends one call with its result; a denial is listed for the turn. */
export function finishCall(draft: Draft, call: CallRecord, result: ToolResultBlock, denied = false): void {
  const { id, name, input } = call;
  const started = "startedAt" in call && call.startedAt !== undefined ? { startedAt: call.startedAt } : {};
  const whole = { ...result, callId: id, content: result.content.length > 0 ? result.content : NOTHING };
  setCall(draft, { id, name, input, status: "done", result: whole, ...started, finishedAt: draft.now });
  if (denied || result.status === "denied") listDenial(draft, call, whole);
}

const NOTHING: ToolResultBlock["content"] = [{ type: "text", text: "(no output)" }];

function listDenial(draft: Draft, call: CallRecord, result: ToolResultBlock): void {
  const { turn } = draft.state;
  if (!turn || turn.denials.length >= MAX_DENIALS) return;
  const [first] = result.content;
  const reason = first?.type === "text" ? first.text : "denied";
  const denial = { callId: call.id, tool: call.name, input: shortened(call.input), reason };
  changeTurn(draft, { denials: [...turn.denials, denial] });
}

/** Long texts of the arguments are cut: a list of denials says what was tried, not what would have been written. */
function shortened(input: JsonObject): JsonObject {
  const entries = Object.entries(input).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text.length <= DENIED_INPUT_CHARS) return [key, value];
    return [key, `${text.slice(0, DENIED_INPUT_CHARS).toWellFormed()}…`];
  });
  return Object.fromEntries(entries) as JsonObject;
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
  const content = [...results, ...countRound(draft)];
  addMessage(draft, { role: "user", kind: "tool_results", origin: "harness", content });
  const onlyDenied = results.every((result) => result.status === "denied");
  changeTurn(draft, { deniedSteps: onlyDenied ? (turn?.deniedSteps ?? 0) + 1 : 0 });
  change(draft, { calls: [], approvals: [] });
}

import type { ToolCallBlock } from "../protocol/message.ts";
import type { CallRecord } from "../protocol/session.ts";
import { askAbout, closeQuestions } from "./approvals.ts";
import { startCompaction } from "./compaction.ts";
import { changeTurn, type Draft, enter, setCall } from "./draft.ts";
import type { Input, PreparedCall } from "./input.ts";
import { takeFact } from "./plans.ts";
import { allDone, finishCall, storeResults, textResult } from "./results.ts";
import { endTurn, goOn } from "./turn.ts";

/** Steps in a row in which every call was denied; then asking on is a loop. */
const MAX_DENIED_STEPS = 5;

/** The decisions about the batch: run, ask, or answered already. */
export function onPrepared(draft: Draft, input: Extract<Input, { type: "tools_prepared" }>): void {
  const { phase } = draft.state;
  if (phase.type !== "preparing_tools" || phase.effectId !== input.effectId) return;
  enter(draft, { type: "running_tools" });
  for (const prepared of input.calls) {
    const call = findCall(draft, prepared.callId);
    if (call?.status === "preparing") takeDecision(draft, call, prepared);
  }
  // A call that nobody decided about must not be left open.
  for (const call of draft.state.calls) {
    if (call.status === "preparing")
      finishCall(draft, call, textResult(call.id, "error", "The call was not prepared, so it was not run."));
  }
  afterCall(draft);
}

function takeDecision(
  draft: Draft,
  call: Extract<CallRecord, { status: "preparing" }>,
  prepared: PreparedCall,
): void {
  draft.facts.push({ type: "decision_recorded", audit: prepared.audit });
  if (prepared.type === "answered") return finishCall(draft, call, prepared.result, prepared.denied);
  if (call.invalid) {
    const text = `The arguments were not a JSON object (${call.invalid.reason}), so nothing was run.`;
    return finishCall(draft, call, textResult(call.id, "error", text));
  }
  if (prepared.type === "run") runCall(draft, call, null);
  else askAbout(draft, call, prepared.approval);
}

/** Starts a call that is allowed, by the rules or by the named approval. */
export function runCall(draft: Draft, call: CallRecord, approvalId: string | null): void {
  const { turn } = draft.state;
  if (!turn) return;
  const { id, name, input } = call;
  const effectId = draft.newId();
  const approved = approvalId === null ? {} : { approvalId };
  setCall(draft, { id, name, input, status: "running", effectId, startedAt: draft.now, ...approved });
  const block: ToolCallBlock = { type: "tool_call", id, name, input };
  const { interactive } = turn.settings;
  draft.effects.push({ type: "run_tool", effectId, runId: turn.runId, call: block, approvalId, interactive });
}

/** A call ended; late answers of effects that are not the call's any more are dropped. */
export function onToolFinished(draft: Draft, input: Extract<Input, { type: "tool_finished" }>): void {
  const call = findCall(draft, input.callId);
  if (!call || effectOf(call) !== input.effectId) return;
  for (const fact of input.facts) takeFact(draft, fact);
  closeQuestions(draft, call.id);
  finishCall(draft, call, input.result, input.denied);
  afterCall(draft);
}

/** The effect that a call runs in, or null when it does not run. */
export function effectOf(call: CallRecord): string | null {
  return call.status === "running" || call.status === "awaiting_approval" ? call.effectId : null;
}

/** When all calls are done: their results, then the end of an interrupt, of a loop of denials, or the next step. */
export function afterCall(draft: Draft): void {
  const { phase, interrupting } = draft.state;
  if (phase.type !== "running_tools" || !allDone(draft)) return;
  storeResults(draft);
  if (interrupting) return endTurn(draft, { type: "interrupted", by: interrupting.by });
  if ((draft.state.turn?.deniedSteps ?? 0) >= MAX_DENIED_STEPS) {
    const message = `everything was denied ${MAX_DENIED_STEPS} times in a row; the turn was ended`;
    return endTurn(draft, { type: "denied", message });
  }
  const wish = draft.state.turn?.wish;
  if (!wish) return goOn(draft);
  changeTurn(draft, { wish: undefined });
  startCompaction(draft, { trigger: "manual", focus: wish.focus, attempt: 1 }, "call_model");
}

const findCall = (draft: Draft, id: string): CallRecord | undefined =>
  draft.state.calls.find((call) => call.id === id);

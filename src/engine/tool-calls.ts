import type { ToolCallBlock } from "../protocol/message.ts";
import type { Approval } from "../protocol/permission.ts";
import type { CallRecord } from "../protocol/session.ts";
import { change, type Draft, enter, setCall } from "./draft.ts";
import type { Input } from "./input.ts";
import { allDone, finishCall, storeResults, textResult } from "./results.ts";
import { deliverSteering, endTurn, goOn } from "./turn.ts";

/** Steps in a row in which every call was denied; then asking on is a loop. */
const MAX_DENIED_STEPS = 5;

/** The decisions about the batch: run, ask, or answered already. */
export function onPrepared(draft: Draft, input: Extract<Input, { type: "tools_prepared" }>): void {
  const { phase } = draft.state;
  if (phase.type !== "preparing_tools" || phase.effectId !== input.effectId) return;
  enter(draft, { type: "running_tools" });
  for (const prepared of input.calls) {
    const call = findCall(draft, prepared.callId);
    if (call?.status !== "preparing") continue;
    draft.facts.push({ type: "decision_recorded", audit: prepared.audit });
    if (prepared.type === "run") runCall(draft, call, null);
    else if (prepared.type === "answered") finishCall(draft, call, prepared.result);
    else askAbout(draft, call, prepared.approval, null);
  }
  // A call that nobody decided about must not be left open.
  for (const call of draft.state.calls) {
    if (call.status === "preparing")
      finishCall(draft, call, textResult(call.id, "error", "The call was not prepared."));
  }
  afterCall(draft);
}

function askAbout(draft: Draft, call: CallRecord, approval: Approval, effectId: string | null): void {
  const { id, name, input } = call;
  change(draft, { approvals: [...draft.state.approvals, approval] });
  draft.facts.push({ type: "approval_requested", approval });
  setCall(draft, { id, name, input, status: "awaiting_approval", approvalId: approval.id, effectId });
}

function runCall(draft: Draft, call: CallRecord, approvalId: string | null): void {
  const { turn } = draft.state;
  if (!turn) return;
  const { id, name, input } = call;
  const effectId = draft.newId();
  setCall(draft, {
    id,
    name,
    input,
    status: "running",
    effectId,
    startedAt: draft.now,
    ...(approvalId === null ? {} : { approvalId }),
  });
  const block: ToolCallBlock = { type: "tool_call", id, name, input };
  const { interactive } = turn.settings;
  draft.effects.push({ type: "run_tool", effectId, runId: turn.runId, call: block, approvalId, interactive });
}

/** An answer to an open question; the first one counts, a later one changes nothing. */
export function onAnswered(draft: Draft, input: Extract<Input, { type: "approval_answered" }>): void {
  const approval = draft.state.approvals.find((open) => open.id === input.approval.id);
  const call = draft.state.calls.find(
    (open) => open.status === "awaiting_approval" && open.approvalId === input.approval.id,
  );
  if (!approval || call?.status !== "awaiting_approval") return;
  const denied = input.answer.type === "deny";
  resolveApproval(draft, {
    ...approval,
    status: denied ? "denied" : "approved",
    answer: input.answer,
    answeredBy: input.by,
    answeredAt: draft.now,
  });
  draft.facts.push({ type: "decision_recorded", audit: input.audit });
  for (const grant of input.grants) draft.facts.push({ type: "grant_added", grant });
  if (call.effectId !== null) {
    const { id, name, input: args } = call;
    setCall(draft, {
      id,
      name,
      input: args,
      status: "running",
      effectId: call.effectId,
      startedAt: draft.now,
    });
    const { effectId } = call;
    draft.effects.push({
      type: "answer_tool",
      effectId,
      callId: id,
      approvalId: approval.id,
      answer: input.answer,
    });
    return;
  }
  if (!denied) return runCall(draft, call, approval.id);
  const word = input.answer.type === "deny" ? input.answer.message : undefined;
  const said = word ? ` The user said: ${word}` : "";
  finishCall(
    draft,
    call,
    textResult(call.id, "denied", `The user did not allow this call.${said} Do not try it again as it is.`),
  );
  afterCall(draft);
}

/** Closes an approval and says so. */
export function resolveApproval(draft: Draft, approval: Approval): void {
  change(draft, { approvals: draft.state.approvals.filter((open) => open.id !== approval.id) });
  draft.facts.push({ type: "approval_resolved", approval });
}

/** Closes every open approval without an answer. */
export function cancelApprovals(draft: Draft): void {
  for (const approval of draft.state.approvals) {
    resolveApproval(draft, { ...approval, status: "cancelled", answeredAt: draft.now });
  }
}

/** A running call has a question of its own. */
export function onToolAsks(draft: Draft, input: Extract<Input, { type: "tool_asks" }>): void {
  const call = findCall(draft, input.callId);
  if (call?.status !== "running" || call.effectId !== input.effectId || draft.state.interrupting) return;
  askAbout(draft, call, input.approval, input.effectId);
}

/** A call ended; late answers of effects that are not the call's any more are dropped. */
export function onToolFinished(draft: Draft, input: Extract<Input, { type: "tool_finished" }>): void {
  const call = findCall(draft, input.callId);
  if (!call || !isRunning(call, input.effectId)) return;
  for (const fact of input.facts) draft.facts.push(fact);
  if (call.status === "awaiting_approval") closeQuestionOf(draft, call.approvalId);
  finishCall(draft, call, input.result);
  afterCall(draft);
}

const isRunning = (call: CallRecord, effectId: string): boolean =>
  (call.status === "running" || call.status === "awaiting_approval") && call.effectId === effectId;

function closeQuestionOf(draft: Draft, approvalId: string): void {
  const open = draft.state.approvals.find((approval) => approval.id === approvalId);
  if (open) resolveApproval(draft, { ...open, status: "cancelled", answeredAt: draft.now });
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
  deliverSteering(draft);
  goOn(draft);
}

const findCall = (draft: Draft, id: string): CallRecord | undefined =>
  draft.state.calls.find((call) => call.id === id);

import { askWhileRunning, resolveApproval, showQuestion } from "./approvals.ts";
import type { Draft } from "./draft.ts";
import type { Input } from "./input.ts";
import { finishCall, textResult } from "./results.ts";
import { userDeniedText } from "./texts.ts";
import { afterCall, effectOf, runCall } from "./tool-calls.ts";

type Answered = Extract<Input, { type: "approval_answered" }>;

/** A running call has a question of its own. Once it is being stopped, it gets no more answers. */
export function onToolAsks(draft: Draft, input: Extract<Input, { type: "tool_asks" }>): void {
  const { calls, approvals, interrupting } = draft.state;
  const call = calls.find(({ id }) => id === input.callId);
  if (call?.status !== "running" && call?.status !== "awaiting_approval") return;
  const known = approvals.some((open) => open.id === input.approval.id);
  if (effectOf(call) !== input.effectId || interrupting || known) return;
  askWhileRunning(draft, call, { ...input.approval, callId: call.id });
}

/**
 * An answer to an open question; the first one counts, a later one changes nothing. A call that was not allowed
 * yet runs on a yes only; one that runs is told the answer, whatever it is.
 */
export function onAnswered(draft: Draft, input: Answered): void {
  const approval = draft.state.approvals.find((open) => open.id === input.approval.id);
  const call = draft.state.calls.find(({ id }) => id === approval?.callId);
  if (!approval || call?.status !== "awaiting_approval") return;
  const runs = call.effectId !== null;
  const { answer } = input;
  const agreed = answer.type === "allow" || (answer.type === "reply" && runs);
  resolveApproval(draft, {
    ...approval,
    status: agreed ? "approved" : "denied",
    answer,
    answeredBy: input.by,
    answeredAt: draft.now,
  });
  if (answer.type === "allow" && !approval.onceOnly) {
    for (const grant of input.grants) draft.facts.push({ type: "grant_added", grant });
  }
  draft.facts.push({ type: "decision_recorded", audit: input.audit });
  if (call.effectId !== null) {
    showQuestion(draft, call);
    const { effectId, id: callId } = call;
    draft.effects.push({ type: "answer_tool", effectId, callId, approvalId: approval.id, answer });
    return;
  }
  if (answer.type === "allow") return runCall(draft, call, approval.id);
  const word = answer.type === "deny" ? answer.message : answer.text;
  finishCall(draft, call, textResult(call.id, "denied", userDeniedText(word)));
  afterCall(draft);
}

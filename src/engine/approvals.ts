import type { Approval } from "../protocol/permission.ts";
import type { CallRecord } from "../protocol/session.ts";
import { change, type Draft, setCall } from "./draft.ts";

type Running = Extract<CallRecord, { status: "running" | "awaiting_approval" }>;

/** Raises a question about a call that may not run yet. */
export function askAbout(draft: Draft, call: CallRecord, approval: Approval): void {
  openQuestion(draft, approval);
  const { id, name, input } = call;
  setCall(draft, { id, name, input, status: "awaiting_approval", approvalId: approval.id, effectId: null });
}

/** Raises a question of a call that runs; it may have several open, and shows the oldest. */
export function askWhileRunning(draft: Draft, call: Running, approval: Approval): void {
  openQuestion(draft, approval);
  if (call.status === "running") showQuestion(draft, call);
}

/** Shows a running call as waiting for its oldest open question, or as running when there is none. */
export function showQuestion(draft: Draft, call: Running): void {
  const { id, name, input, effectId } = call;
  if (effectId === null) return;
  const startedAt = call.startedAt ?? draft.now;
  const open = draft.state.approvals.find((approval) => approval.callId === id);
  if (open) {
    setCall(draft, {
      id,
      name,
      input,
      status: "awaiting_approval",
      approvalId: open.id,
      effectId,
      startedAt,
    });
  } else setCall(draft, { id, name, input, status: "running", effectId, startedAt });
}

function openQuestion(draft: Draft, approval: Approval): void {
  change(draft, { approvals: [...draft.state.approvals, approval] });
  draft.facts.push({ type: "approval_requested", approval });
}

/** Closes an approval and says so. */
export function resolveApproval(draft: Draft, approval: Approval): void {
  change(draft, { approvals: draft.state.approvals.filter((open) => open.id !== approval.id) });
  draft.facts.push({ type: "approval_resolved", approval });
}

/** Closes the open questions of one call, or of all, without an answer. */
export function closeQuestions(draft: Draft, callId?: string): void {
  for (const approval of draft.state.approvals) {
    if (callId !== undefined && approval.callId !== callId) continue;
    resolveApproval(draft, { ...approval, status: "cancelled", answeredAt: draft.now });
  }
}

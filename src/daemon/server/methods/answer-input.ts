import type { Input } from "../../../engine/input.ts";
import type { Approval, ApprovalAnswer, Grant } from "../../../protocol/permission.ts";

/** Who answered what, and when. */
export type Answered = { commandId: string; answer: ApprovalAnswer; by: string; at: number };

/** The engine's input for the answer to an open approval, with the grants and the audit row that it makes. */
export function answerInput(
  approval: Approval,
  { commandId, answer, by, at }: Answered,
): Extract<Input, { type: "approval_answered" }> {
  const grants = grantsOf(approval, answer, by, at);
  return {
    type: "approval_answered",
    commandId,
    approval,
    answer,
    by,
    grants,
    audit: {
      sessionId: approval.sessionId,
      runId: approval.runId,
      callId: approval.callId,
      tool: approval.tool,
      decision: answer.type === "deny" ? "refused" : "approved",
      layer: "grant",
      rule: grants.length === 0 ? null : grants.map(({ rule }) => rule.match ?? rule.tool).join(", "),
      source: approval.id,
      by,
      reason:
        answer.type === "deny"
          ? (answer.message ?? "the user said no")
          : `the user answered (${answer.type})`,
      at,
    },
  };
}

/** What a lasting yes permits from now on; a call that may be approved only once permits nothing. */
function grantsOf(approval: Approval, answer: ApprovalAnswer, by: string, at: number): Grant[] {
  if (answer.type !== "allow" || answer.scope === "once" || approval.onceOnly) return [];
  const { scope } = answer;
  return approval.suggestions.map((rule) => ({
    rule: {
      ...rule,
      scope: scope === "task" ? ("session" as const) : ("user" as const),
      source: `approval ${approval.id}`,
    },
    scope,
    grantedAt: at,
    by,
  }));
}

import { ruleText } from "../../config/user-rules.ts";
import type { CallId, RunId } from "../../protocol/ids.ts";
import type { AuditRow, PermissionDecision } from "../../protocol/permission.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** What a decision was about. */
export type Decided = { callId: CallId; runId: RunId; tool: string };

/** The audit row of a decision that a rule or a mode made, or that was made for want of anybody to ask. */
export function auditRow(
  about: Decided,
  verb: AuditRow["decision"],
  decision: Pick<PermissionDecision, "layer" | "reason" | "rule">,
  runtime: SessionRuntime,
  ports: EffectPorts,
): AuditRow {
  const { rule } = decision;
  return {
    ...about,
    sessionId: runtime.actor.session.id,
    decision: verb,
    layer: decision.layer,
    rule: rule ? `${rule.effect} ${ruleText(rule)}` : null,
    source: rule?.source ?? null,
    by: "policy",
    reason: decision.reason,
    at: ports.clock.now(),
  };
}

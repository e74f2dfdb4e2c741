import type { Effect } from "../../engine/effect.ts";
import type { PreparedCall, ToolFact } from "../../engine/input.ts";
import { decide } from "../../permission/decide.ts";
import type { CallId } from "../../protocol/ids.ts";
import type { ToolCallBlock, ToolResultBlock } from "../../protocol/message.ts";
import type { AuditRow, PermissionDecision, ResolvedAction } from "../../protocol/permission.ts";
import type { ToolDefinition, ToolOutput } from "../../protocol/tool.ts";
import { findTool, toolNames } from "../../tools/registry.ts";
import { beginEffect, endEffect, type SessionRuntime } from "../sessions/session-runtime.ts";
import { approvalBinding, ask, buildApproval } from "./approvals.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { resolveActions } from "./resolve-actions.ts";
import { storeOutput } from "./store-output.ts";
import { type Attempt, buildToolContext, type RunRights } from "./tool-context.ts";
import { denialText, headlessDenialText, textResult } from "./tool-texts.ts";
import { openBatch, waitForTurn, withFiles } from "./write-order.ts";

/**
 * The whole path of a tool call, readable in one sitting:
 *
 *   prepareTools: look up -> parse -> resolve paths -> decide -> run | ask | answer with the reason
 *   runTool:      token of the approval -> place in the order -> attempt in the sandbox -> denial?
 *                 -> one question -> second attempt with exactly what was granted -> bounded result
 *
 * Nothing else in lathe decides about, or starts, what a model asks for. A stop at any point is a result.
 */

type Prepare = Extract<Effect, { type: "prepare_tools" }>;
type Run = Extract<Effect, { type: "run_tool" }>;

type Examined =
  | {
      ok: true;
      tool: ToolDefinition;
      input: unknown;
      actions: ResolvedAction[];
      decision: PermissionDecision;
    }
  | { ok: false; tool: string; message: string };

export async function prepareTools(
  effect: Prepare,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<void> {
  const signal = beginEffect(runtime, effect.effectId);
  const prepared: PreparedCall[] = [];
  for (const call of effect.calls) {
    if (signal.aborted) break;
    prepared.push(await prepareCall(call, effect, runtime, ports));
  }
  endEffect(runtime, effect.effectId);
  if (signal.aborted) return;
  openBatch(
    runtime,
    effect.calls.map((call) => ({ id: call.id, tool: findTool(call.name, call.input) })),
  );
  runtime.actor.post({ type: "tools_prepared", effectId: effect.effectId, calls: prepared });
}

async function prepareCall(
  call: ToolCallBlock,
  effect: Prepare,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<PreparedCall> {
  const examined = await examine(call, runtime);
  if (!examined.ok) {
    const audit = auditRow(call.id, examined.tool, effect.runId, runtime, ports, "refused", {
      type: "deny",
      layer: "invalid",
      reason: examined.message,
    });
    return {
      callId: call.id,
      type: "answered",
      result: textResult(call.id, "error", examined.message),
      audit,
      denied: false,
    };
  }
  const { decision, tool } = examined;
  const audit = (verb: AuditRow["decision"]): AuditRow =>
    auditRow(call.id, tool.name, effect.runId, runtime, ports, verb, decision);
  if (decision.type === "allow") return { callId: call.id, type: "run", audit: audit("allow") };
  if (decision.type === "deny") {
    const result = textResult(call.id, "denied", denialText(decision));
    return { callId: call.id, type: "answered", result, audit: audit("deny"), denied: true };
  }
  if (!effect.interactive) {
    const result = textResult(call.id, "denied", headlessDenialText(decision));
    return { callId: call.id, type: "answered", result, audit: audit("deny"), denied: true };
  }
  const approval = await buildApproval(
    { call, tool, input: examined.input, actions: examined.actions, decision, runId: effect.runId },
    runtime,
    ports,
  );
  return { callId: call.id, type: "ask", approval, audit: audit("ask") };
}

/** Look-up, parsing, paths and the decision: the same for preparing and, once more, for running. */
async function examine(call: ToolCallBlock, runtime: SessionRuntime): Promise<Examined> {
  if (call.invalid) {
    return {
      ok: false,
      tool: call.name,
      message: `The arguments of ${call.name} are not a JSON object (${call.invalid.reason}), so nothing was run. Send the call again with valid JSON.`,
    };
  }
  const tool = findTool(call.name, call.input);
  if (!tool) {
    return {
      ok: false,
      tool: call.name,
      message: `Unknown tool "${call.name}". Available tools: ${toolNames().join(", ")}.`,
    };
  }
  if (runtime.options.tools && !runtime.options.tools.includes(tool.name)) {
    return { ok: false, tool: tool.name, message: `Tool '${tool.name}' is not allowed in this context.` };
  }
  const parsed = tool.parse(call.input);
  if (!parsed.ok) return { ok: false, tool: tool.name, message: parsed.error };
  const actions = await resolveActions(tool.actions(parsed.value, runtime.place), runtime.place);
  const decision = decide({
    tool: tool.name,
    effect: tool.effect,
    input: call.input,
    actions,
    rules: runtime.settings.rules,
    grants: runtime.grants,
    mode: runtime.actor.state.mode,
    place: runtime.place,
    trusted: runtime.settings.trusted,
    sandboxed: runtime.options.sandbox === "on",
    protectedNames: runtime.policy.protectedNames,
    denyRead: runtime.policy.denyRead,
  });
  return { ok: true, tool, input: parsed.value, actions, decision };
}

export async function runTool(effect: Run, runtime: SessionRuntime, ports: EffectPorts): Promise<void> {
  const { call, effectId } = effect;
  const signal = beginEffect(runtime, effectId);
  const facts: ToolFact[] = [];
  let outcome: { result: ToolResultBlock; denied: boolean };
  try {
    await waitForTurn(runtime, call.id, signal);
    outcome = signal.aborted
      ? {
          result: textResult(call.id, "interrupted", "Interrupted by the user before it ran."),
          denied: false,
        }
      : await attemptCall(effect, signal, facts, runtime, ports);
  } finally {
    endEffect(runtime, effectId);
  }
  runtime.actor.post({ type: "tool_finished", callId: call.id, effectId, ...outcome, facts });
}

async function attemptCall(
  effect: Run,
  signal: AbortSignal,
  facts: ToolFact[],
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ result: ToolResultBlock; denied: boolean }> {
  const { call } = effect;
  const examined = await examine(call, runtime);
  if (!examined.ok) return { result: textResult(call.id, "error", examined.message), denied: false };
  const rights = await rightsOf(effect, examined, runtime, ports);
  if (!rights.ok) return { result: textResult(call.id, "denied", rights.message), denied: true };

  const attempt: Attempt = { effect, tool: examined.tool, rights: rights.value, signal, facts };
  const first = await runOnce(attempt, examined.input, examined.actions, runtime, ports);
  const outside = await askToLeaveSandbox(attempt, first, runtime, ports);
  const again = outside
    ? await runOnce({ ...attempt, rights: outside }, examined.input, examined.actions, runtime, ports)
    : first;
  const { output } = again;
  const result = await storeOutput(call.id, output, signal, ports);
  return { result, denied: output.status === "denied" };
}

/** Rights of the attempt: what the decision, or the approval it waited for, allows; nothing more. */
async function rightsOf(
  effect: Run,
  examined: Extract<Examined, { ok: true }>,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ ok: true; value: RunRights } | { ok: false; message: string }> {
  const { decision, actions } = examined;
  if (effect.approvalId === null) {
    // Rules may have tightened since the call was prepared.
    if (decision.type === "deny") return { ok: false, message: denialText(decision) };
    return {
      ok: true,
      value: {
        profile: decision.profile,
        approved: false,
        actions,
        unsandboxed: runtime.options.sandbox === "none",
      },
    };
  }
  if (runtime.spent.has(effect.approvalId))
    return { ok: false, message: "Permission denied: this approval was used before." };
  const approval = (await ports.store.approvals({ sessionId: runtime.actor.session.id })).find(
    (row) => row.id === effect.approvalId,
  );
  const binding = approvalBinding(effect.call, examined.tool.name, runtime);
  if (approval?.status !== "approved" || approval.binding !== binding) {
    return { ok: false, message: "Permission denied: the approval does not belong to this exact call." };
  }
  runtime.spent.add(effect.approvalId);
  if (decision.type === "deny") return { ok: false, message: denialText(decision) };
  return {
    ok: true,
    value: {
      profile: decision.profile,
      approved: true,
      actions,
      unsandboxed: runtime.options.sandbox === "none",
    },
  };
}

async function runOnce(
  attempt: Attempt,
  input: unknown,
  actions: ResolvedAction[],
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ output: ToolOutput; deniedPaths: string[] }> {
  const built = buildToolContext(attempt, runtime, ports);
  const written = actions.flatMap((action) => (action.type === "write_path" ? [action.realPath] : []));
  const output = await withFiles(runtime, written, () => attempt.tool.run(input, built.context));
  return { output, deniedPaths: built.deniedPaths() };
}

/**
 * A command that failed because the sandbox kept it from a path outside the roots may be asked about once.
 * Never for protected paths or secrets, never headless, never in read-only mode.
 */
async function askToLeaveSandbox(
  attempt: Attempt,
  first: { output: ToolOutput; deniedPaths: string[] },
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<RunRights | null> {
  const { effect, signal } = attempt;
  const mayAsk =
    effect.interactive && runtime.actor.state.mode !== "read-only" && !attempt.rights.unsandboxed;
  if (!mayAsk || signal.aborted || first.output.status !== "error" || first.deniedPaths.length === 0)
    return null;
  const answer = await ask(
    attempt,
    {
      kind: "escalation",
      title: "Run this command again without the sandbox?",
      reason: `the sandbox kept it from writing ${first.deniedPaths.join(", ")}`,
      parts: first.deniedPaths.map((path) => `write ${path}`),
      onceOnly: true,
      suggestions: [],
    },
    runtime,
    ports,
  );
  return answer?.type === "allow" ? { ...attempt.rights, unsandboxed: true, approved: true } : null;
}

function auditRow(
  callId: CallId,
  tool: string,
  runId: string,
  runtime: SessionRuntime,
  ports: EffectPorts,
  verb: AuditRow["decision"],
  decision: PermissionDecision,
): AuditRow {
  return {
    sessionId: runtime.actor.session.id,
    runId,
    callId,
    tool,
    decision: verb,
    layer: decision.layer,
    rule: decision.rule ? ruleText(decision.rule) : null,
    source: decision.rule?.source ?? null,
    by: "policy",
    reason: decision.reason,
    at: ports.clock.now(),
  };
}

const ruleText = (rule: { effect: string; tool: string; match?: string }): string =>
  `${rule.effect} ${rule.tool}${rule.match === undefined ? "" : `(${rule.match})`}`;

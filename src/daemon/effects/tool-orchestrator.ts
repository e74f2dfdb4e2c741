import type { Effect } from "../../engine/effect.ts";
import type { PreparedCall, ToolFact } from "../../engine/input.ts";
import type { ToolCallBlock, ToolResultBlock } from "../../protocol/message.ts";
import type {
  AuditRow,
  DecisionLayer,
  PermissionDecision,
  ResolvedAction,
} from "../../protocol/permission.ts";
import type { ToolDefinition, ToolOutput } from "../../protocol/tool.ts";
import { findTool, toolNames } from "../../tools/registry.ts";
import { beginEffect, endEffect, type SessionRuntime } from "../sessions/session-runtime.ts";
import { buildApproval } from "./approvals.ts";
import type { Attempt, RunRights } from "./attempt.ts";
import { auditRow } from "./audit.ts";
import { approvalBinding } from "./binding.ts";
import { decideFor, standingOf } from "./decide-for.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { askToLeaveSandbox, foldersFor } from "./leave-sandbox.ts";
import { rehearse } from "./rehearse.ts";
import { resolveActions } from "./resolve-actions.ts";
import { storeOutput } from "./store-output.ts";
import { buildToolContext } from "./tool-context.ts";
import { changedText, denialText, headlessDenialText, textResult } from "./tool-texts.ts";
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

type Asked = Extract<PermissionDecision, { type: "ask" }>;
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
    prepared.push(await prepareCall(call, effect, signal, runtime, ports));
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
  signal: AbortSignal,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<PreparedCall> {
  const examined = await examine(call, runtime);
  if (!examined.ok) {
    const about = { callId: call.id, runId: effect.runId, tool: examined.tool };
    const decision = { layer: "invalid" as const, reason: examined.message };
    const audit = auditRow(about, "refused", decision, runtime, ports);
    return {
      callId: call.id,
      type: "answered",
      result: textResult(call.id, "error", examined.message),
      audit,
      denied: false,
    };
  }
  const { decision, tool } = examined;
  const about = { callId: call.id, runId: effect.runId, tool: tool.name };
  const audit = (verb: AuditRow["decision"]): AuditRow => auditRow(about, verb, decision, runtime, ports);
  if (decision.type === "allow")
    return { callId: call.id, type: "run", audit: audit("allow"), changes: tool.effect !== "read" };
  if (decision.type === "deny") {
    const result = textResult(call.id, "denied", denialText(decision));
    return { callId: call.id, type: "answered", result, audit: audit("deny"), denied: true };
  }
  if (!effect.interactive) {
    const result = textResult(call.id, "denied", headlessDenialText(decision));
    return { callId: call.id, type: "answered", result, audit: audit("deny"), denied: true };
  }
  const asked = {
    call,
    tool,
    input: examined.input,
    actions: examined.actions,
    decision: withFolders(decision, tool, runtime),
    runId: effect.runId,
  };
  const { diff, failure } = tool.effect === "write" ? await rehearse(asked, runtime, ports) : {};
  // Nobody is asked about a change that cannot be made. Later calls of a batch may build on earlier ones.
  if (failure && effect.calls[0]?.id === call.id) {
    const result = await storeOutput(call.id, failure, signal, ports);
    return { callId: call.id, type: "answered", result, audit: audit("refused"), denied: false };
  }
  return {
    callId: call.id,
    type: "ask",
    approval: buildApproval(asked, diff, runtime, ports),
    audit: audit("ask"),
  };
}

/**
 * A command that writes outside runs with whole folders opened for it, so the question names them; such a yes is
 * for this call alone, since a rule would not open them again.
 */
function withFolders(decision: Asked, tool: ToolDefinition, runtime: SessionRuntime): Asked {
  const outside = decision.writesOutside ?? [];
  if (tool.effect !== "execute" || outside.length === 0) return decision;
  const folders = foldersFor(outside, runtime);
  const parts =
    folders === null
      ? ["a yes does not let it write there: the sandbox keeps system folders and the home closed"]
      : folders.map((folder) => `the whole command may write below ${folder}, outside the project`);
  return { ...decision, parts: [...decision.parts, ...parts], suggestions: [], onceOnly: true };
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
  const decision = decideFor(tool, call.input, actions, standingOf(runtime));
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
  if (!rights.ok) {
    const about = { callId: call.id, runId: effect.runId, tool: examined.tool.name };
    const decision = { ...examined.decision, layer: rights.layer, reason: rights.message };
    facts.push({
      type: "decision_recorded",
      audit: auditRow(about, "deny", decision, runtime, ports),
    });
    return { result: textResult(call.id, "denied", rights.message), denied: true };
  }
  const attempt: Attempt = { effect, tool: examined.tool, rights: rights.value, signal, facts };
  const first = await runOnce(attempt, examined, runtime, ports);
  const wider =
    first.output.status === "error"
      ? await askToLeaveSandbox(attempt, first.deniedPaths, runtime, ports)
      : null;
  const { output } = wider ? await runOnce({ ...attempt, rights: wider }, examined, runtime, ports) : first;
  const result = await storeOutput(call.id, output, signal, ports);
  return { result, denied: output.status === "denied" };
}

type Rights = { ok: true; value: RunRights } | { ok: false; layer: DecisionLayer; message: string };

/**
 * Rights of the attempt: what the decision, or the approval it waited for, allows; nothing more. Rules and files
 * may have changed since the call was prepared, so what was allowed then must still be allowed now.
 */
async function rightsOf(
  effect: Run,
  examined: Extract<Examined, { ok: true }>,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Rights> {
  const { decision, actions } = examined;
  const approved = effect.approvalId !== null;
  if (approved) {
    const invalid = await spendApproval(effect, examined.tool.name, runtime, ports);
    if (invalid !== null) return { ok: false, layer: "invalid", message: invalid };
  }
  if (decision.type === "deny") return { ok: false, layer: decision.layer, message: denialText(decision) };
  if (decision.type === "ask" && !approved)
    return { ok: false, layer: decision.layer, message: changedText(decision) };
  const outside = decision.type === "ask" ? (decision.writesOutside ?? []) : [];
  return {
    ok: true,
    value: {
      profile: decision.profile,
      approved,
      actions,
      extraRoots: approved ? (foldersFor(outside, runtime) ?? []) : [],
      gitConfig: decision.gitConfigWrite ? "compared" : "pinned",
      unsandboxed: runtime.options.sandbox === "none",
    },
  };
}

/** Spends the approval's single use; else says why it does not hold. */
async function spendApproval(
  effect: Run,
  tool: string,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<string | null> {
  const id = effect.approvalId;
  if (id === null || runtime.spent.has(id)) return "Permission denied: this approval was used before.";
  const approvals = await ports.store.approvals({ sessionId: runtime.actor.session.id });
  const approval = approvals.find((row) => row.id === id);
  const binding = approvalBinding(effect.call, tool, runtime);
  const holds =
    approval?.status === "approved" && approval.callId === effect.call.id && approval.binding === binding;
  if (!holds) return "Permission denied: the approval does not belong to this exact call.";
  runtime.spent.add(id);
  return null;
}

async function runOnce(
  attempt: Attempt,
  { input, actions }: Extract<Examined, { ok: true }>,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<{ output: ToolOutput; deniedPaths: string[] }> {
  const built = buildToolContext(attempt, runtime, ports);
  const written = actions.flatMap((action) => (action.type === "write_path" ? [action.realPath] : []));
  const output = await withFiles(runtime, written, () => attempt.tool.run(input, built.context));
  return { output, deniedPaths: built.deniedPaths() };
}

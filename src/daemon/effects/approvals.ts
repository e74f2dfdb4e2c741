import type { Effect } from "../../engine/effect.ts";
import { bindingText } from "../../permission/token.ts";
import type { ToolCallBlock } from "../../protocol/message.ts";
import type {
  Approval,
  ApprovalAnswer,
  PermissionDecision,
  ResolvedAction,
} from "../../protocol/permission.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import { deferred } from "../../shared/async.ts";
import { sha256 } from "../../shared/hash.ts";
import { spellOut } from "../../shared/text.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { previewDiff } from "./preview-diff.ts";
import type { Attempt } from "./tool-context.ts";
import { callTitle } from "./tool-texts.ts";

type AskDecision = Extract<PermissionDecision, { type: "ask" }>;

/** The stored question about a call that is not yet allowed, with the diff of an edit. */
export async function buildApproval(
  asked: {
    call: ToolCallBlock;
    tool: ToolDefinition;
    input: unknown;
    actions: ResolvedAction[];
    decision: AskDecision;
    runId: string;
  },
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Approval> {
  const { call, tool, decision } = asked;
  const diff = tool.effect === "write" ? await previewDiff(asked, runtime, ports) : undefined;
  return {
    id: ports.ids.next(),
    sessionId: runtime.actor.session.id,
    runId: asked.runId,
    callId: call.id,
    kind: "tool",
    tool: tool.name,
    binding: approvalBinding(call, tool.name, runtime),
    title: spellOut(callTitle(tool.name, call.input)),
    detail: spellOut(JSON.stringify(call.input, null, 2)),
    input: call.input,
    diff,
    reason: decision.reason,
    parts: decision.parts.map(spellOut),
    suggestions: decision.suggestions,
    onceOnly: decision.onceOnly,
    createdAt: ports.clock.now(),
    status: "open",
  };
}

/** What an approval of this call is bound to: tool, exact arguments, directory, policy and session. */
export function approvalBinding(call: ToolCallBlock, tool: string, runtime: SessionRuntime): string {
  return sha256(
    bindingText({
      tool,
      input: call.input,
      cwd: runtime.place.cwd,
      policy: {
        roots: runtime.policy.writableRoots,
        mode: runtime.policy.mode,
        sandbox: runtime.options.sandbox,
      },
      sessionId: runtime.actor.session.id,
    }),
  );
}

/** What a question of a running call says; the rest is taken from the call. */
export type RunningQuestion = Pick<
  Approval,
  "kind" | "title" | "reason" | "onceOnly" | "suggestions" | "parts"
>;

/** Raises a question of a running call and waits for its answer; null when the call was stopped meanwhile. */
export async function ask(
  attempt: Attempt,
  question: RunningQuestion,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<ApprovalAnswer | null> {
  const { effect, signal, tool } = attempt;
  const approval = runningApproval(effect, tool.name, question, runtime, ports);
  const answer = deferred<ApprovalAnswer | null>();
  const stopped = (): void => answer.resolve(null);
  signal.addEventListener("abort", stopped, { once: true });
  runtime.questions.set(approval.id, answer);
  runtime.actor.post({ type: "tool_asks", callId: effect.call.id, effectId: effect.effectId, approval });
  const given = await answer.promise;
  signal.removeEventListener("abort", stopped);
  runtime.questions.delete(approval.id);
  return given;
}

function runningApproval(
  effect: Extract<Effect, { type: "run_tool" }>,
  tool: string,
  question: RunningQuestion,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Approval {
  return {
    ...question,
    id: ports.ids.next(),
    sessionId: runtime.actor.session.id,
    runId: effect.runId,
    callId: effect.call.id,
    tool,
    binding: approvalBinding(effect.call, tool, runtime),
    detail: spellOut(JSON.stringify(effect.call.input, null, 2)),
    input: effect.call.input,
    createdAt: ports.clock.now(),
    status: "open",
  };
}

import type { Approval, ApprovalAnswer } from "../../protocol/permission.ts";
import { deferred } from "../../shared/async.ts";
import { spellOut } from "../../shared/text.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import { approvalBinding } from "./binding.ts";
import { rulesInWords } from "./decide-for.ts";
import type { EffectPorts } from "./effect-ports.ts";

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
  const { effect, signal } = attempt;
  if (signal.aborted) return null;
  const approval = runningApproval(attempt, question, runtime, ports);
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
  { effect, tool }: Attempt,
  question: RunningQuestion,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Approval {
  return {
    ...question,
    title: spellOut(question.title),
    parts: question.parts.map(spellOut),
    words: rulesInWords(question.suggestions),
    id: ports.ids.next(),
    sessionId: runtime.actor.session.id,
    runId: effect.runId,
    callId: effect.call.id,
    tool: tool.name,
    binding: approvalBinding(effect.call, tool.name, runtime),
    detail: spellOut(JSON.stringify(effect.call.input, null, 2)),
    input: effect.call.input,
    createdAt: ports.clock.now(),
    status: "open",
  };
}

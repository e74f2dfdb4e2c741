import type { Effect } from "../../engine/effect.ts";
import { errorMessage } from "../../shared/error.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import { callModel } from "./call-model.ts";
import { compact } from "./compact.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { runTimer } from "./timer.ts";
import { prepareTools, runTool } from "./tool-orchestrator.ts";

/**
 * Starts one effect. Every effect answers with exactly one input or was cancelled; one that breaks is a bug,
 * is logged, and still answers, so that no turn hangs.
 */
export function startEffect(effect: Effect, runtime: SessionRuntime, ports: EffectPorts): void {
  switch (effect.type) {
    case "call_model":
      guard(callModel(effect, runtime, ports), effect, runtime, ports);
      return;
    case "prepare_tools":
      guard(prepareTools(effect, runtime, ports), effect, runtime, ports);
      return;
    case "run_tool":
      guard(runTool(effect, runtime, ports), effect, runtime, ports);
      return;
    case "start_timer":
      guard(runTimer(effect, runtime, ports), effect, runtime, ports);
      return;
    case "answer_tool":
      runtime.questions.get(effect.approvalId)?.resolve(effect.answer);
      runtime.questions.delete(effect.approvalId);
      return;
    case "cancel":
      for (const id of effect.effectIds) runtime.running.get(id)?.abort();
      return;
    case "compact":
      guard(compact(effect, runtime, ports), effect, runtime, ports);
      return;
    case "release_run":
      runtime.batch = [];
      return;
  }
}

function guard(work: Promise<void>, effect: Effect, runtime: SessionRuntime, ports: EffectPorts): void {
  work.catch((error: unknown) => {
    const message = errorMessage(error);
    ports.log("error", `effect ${effect.type} broke: ${error instanceof Error ? error.stack : message}`);
    answerBroken(effect, runtime, message);
  });
}

/** The answer of an effect that threw. */
function answerBroken(effect: Effect, runtime: SessionRuntime, message: string): void {
  const { actor } = runtime;
  const usage = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null };
  if (effect.type === "call_model") {
    actor.post({
      type: "model_failed",
      effectId: effect.effectId,
      error: { kind: "internal", message },
      retryable: false,
      retryAfterMs: null,
      partial: [],
      usage,
      model: effect.model,
    });
  } else if (effect.type === "run_tool") {
    actor.post({
      type: "tool_finished",
      callId: effect.call.id,
      effectId: effect.effectId,
      result: {
        type: "tool_result",
        callId: effect.call.id,
        status: "error",
        content: [{ type: "text", text: `The tool broke: ${message}` }],
      },
      denied: false,
      facts: [],
    });
  } else if (effect.type === "compact") {
    const warning = `The conversation was not compacted: ${message}. It stays as it is.`;
    const { effectId, model } = effect;
    actor.post({ type: "compaction_finished", effectId, summary: null, estimate: 0, usage, model, warning });
  } else if (effect.type === "prepare_tools") {
    // Calls that nobody decided about are answered as errors by the engine; the model may go on.
    actor.post({ type: "noticed", level: "error", code: "internal", text: `The calls broke: ${message}` });
    actor.post({ type: "tools_prepared", effectId: effect.effectId, calls: [] });
  }
}

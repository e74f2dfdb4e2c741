import type { Effect } from "../../engine/effect.ts";
import type { ModelEvent, ModelRef } from "../../protocol/model-port.ts";
import type { FailureInfo } from "../../protocol/session.ts";
import { beginEffect, endEffect, type SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { findModel } from "./find-model.ts";
import { pastBudget } from "./past-budget.ts";
import { refusedImages } from "./refused-images.ts";
import { sessionHistory } from "./session-history.ts";
import { sessionPrefix } from "./session-prefix.ts";

type CallModel = Extract<Effect, { type: "call_model" }>;

const REQUEST_TIMEOUT_MS = 300_000;
const NO_USAGE = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null };

/** One model call: request from the stored history, deltas to the clients, the end as an input. */
export async function callModel(
  effect: CallModel,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<void> {
  const signal = beginEffect(runtime, effect.effectId);
  try {
    const found = findModel(effect.model, runtime);
    if (!found.ok) return fail(effect, runtime, { kind: "no_model", message: found.error });
    const model = found.value;
    if (model.keyNames.length > 0 && !model.keyNames.some((name) => runtime.credentials[name])) {
      const missing = model.keyNames[0] ?? "key";
      runtime.actor.post({ type: "model_unreachable", effectId: effect.effectId, missing });
      return;
    }
    const prefix = await sessionPrefix(runtime, ports);
    const history = await sessionHistory(effect.head, runtime, ports);
    const estimate = effect.checkRoom ? pastBudget(history, prefix, model, runtime) : null;
    if (estimate !== null) {
      runtime.actor.post({ type: "context_full", effectId: effect.effectId, estimate });
      return;
    }
    const built = await buildFor(effect, model, runtime, ports);
    if (!built.ok) return fail(effect, runtime, { kind: "internal", message: built.error });
    const stream = ports.model.stream({
      model,
      request: built.request,
      credentials: runtime.credentials,
      environment: runtime.environment,
      newId: () => ports.ids.next(),
      signal,
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
    await follow(stream, effect, model, runtime, ports);
  } finally {
    endEffect(runtime, effect.effectId);
    if (runtime.streaming?.effectId === effect.effectId) runtime.streaming = null;
  }
}

async function buildFor(effect: CallModel, model: ModelRef, runtime: SessionRuntime, ports: EffectPorts) {
  const { request, problems } = await runtime.requests.build({
    messages: await sessionHistory(effect.head, runtime, ports),
    prefix: await sessionPrefix(runtime, ports),
    model,
    loadBlob: (hash) => ports.store.getBlob(hash),
    cacheKey: runtime.actor.session.id,
    purpose: effect.purpose,
    limit: effect.limit,
    rejectedImages: new Set(runtime.actor.state.refusedImages ?? []),
  });
  if (problems.length > 0) {
    ports.log("error", `request of ${runtime.actor.session.id} is not valid: ${problems.join("; ")}`);
    return { ok: false as const, error: `The stored conversation cannot be sent: ${problems[0]}` };
  }
  return { ok: true as const, request };
}

async function follow(
  stream: AsyncIterable<ModelEvent>,
  effect: CallModel,
  model: ModelRef,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<void> {
  const sessionId = runtime.actor.session.id;
  const { effectId } = effect;
  const streaming = { effectId, text: "", thinking: "", toolCalls: [] as { name: string; chars: number }[] };
  runtime.streaming = streaming;
  for await (const event of stream) {
    switch (event.type) {
      case "message_start":
      case "tool_call_end":
        break;
      case "text_delta":
        streaming.text += event.text;
        ports.delta(sessionId, { type: "text", effectId, text: event.text });
        break;
      case "thinking_delta":
        streaming.thinking += event.text;
        ports.delta(sessionId, { type: "thinking", effectId, text: event.text });
        break;
      case "tool_call_start":
        streaming.toolCalls[event.index] = { name: event.name, chars: 0 };
        ports.delta(sessionId, {
          type: "tool_call",
          effectId,
          index: event.index,
          name: event.name,
          chars: 0,
        });
        break;
      case "tool_call_delta": {
        const call = streaming.toolCalls[event.index];
        if (!call) break;
        call.chars += event.chars;
        ports.delta(sessionId, {
          type: "tool_call",
          effectId,
          index: event.index,
          name: call.name,
          chars: call.chars,
        });
        break;
      }
      case "message_end":
        runtime.actor.post({
          type: "model_finished",
          effectId,
          content: event.content,
          stopReason: event.stopReason,
          usage: event.usage,
          model: model.id,
          note: event.note,
        });
        break;
      case "failed":
        if (streaming.text || streaming.thinking) ports.delta(sessionId, { type: "restarted", effectId });
        runtime.actor.post({
          type: "model_failed",
          effectId,
          error: event.error,
          retryable: event.retryable,
          retryAfterMs: event.retryAfterMs,
          partial: event.partial,
          usage: event.usage,
          model: model.id,
          refusedImages: refusedImages(event.error, runtime.history, runtime.actor.state.refusedImages ?? []),
        });
        break;
    }
  }
}

function fail(effect: CallModel, runtime: SessionRuntime, error: FailureInfo): void {
  runtime.actor.post({
    type: "model_failed",
    effectId: effect.effectId,
    error,
    retryable: false,
    retryAfterMs: null,
    partial: [],
    usage: NO_USAGE,
    model: effect.model,
  });
}

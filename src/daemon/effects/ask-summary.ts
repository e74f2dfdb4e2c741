import { cutMiddle, judgeSummary, summaryAsk } from "../../context/compaction/summary-request.ts";
import { createRequestBuilder } from "../../context/request/build.ts";
import type { Message, Usage } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

const REQUEST_TIMEOUT_MS = 300_000;

export type SummaryQuestion = {
  chain: readonly Message[];
  shown: readonly Message[];
  prefix: { system: string; tools: ToolSpec[] };
  model: ModelRef;
  focus: string | null;
  /** Tokens of history that may be sent; null: all of it, as a continuation of the cached prefix. */
  limit: number | null;
  signal: AbortSignal;
};

export type SummaryAnswer = ({ ok: true; text: string } | { ok: false; problem: string }) & {
  usage: Usage | null;
};

/** Asks the model for a summary of the conversation; every failure is a value. */
export async function askSummary(
  question: SummaryQuestion,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<SummaryAnswer> {
  const { model, limit, signal } = question;
  if (model.keyNames.length > 0 && !model.keyNames.some((name) => runtime.credentials[name])) {
    return { ok: false, problem: `there is no key for ${model.id}`, usage: null };
  }
  const requests = limit === null ? runtime.requests : createRequestBuilder();
  const { request, problems } = await requests.build({
    messages: limit === null ? question.chain : cutMiddle(question.shown, limit),
    prefix: question.prefix,
    model,
    loadBlob: (hash) => ports.store.getBlob(hash),
    cacheKey: runtime.actor.session.id,
    purpose: "compaction",
    ask: summaryAsk(question.focus),
    rejectedImages: new Set(runtime.actor.state.refusedImages ?? []),
  });
  if (problems.length > 0) return { ok: false, problem: problems.join("; "), usage: null };
  const stream = ports.model.stream({
    model,
    request,
    credentials: runtime.credentials,
    environment: runtime.environment,
    newId: () => ports.ids.next(),
    signal,
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  for await (const event of stream) {
    if (event.type === "failed") return { ok: false, problem: event.error.message, usage: event.usage };
    if (event.type === "message_end") {
      return { ...judgeSummary(event.content, event.stopReason), usage: event.usage };
    }
  }
  return { ok: false, problem: "the model's answer had no end", usage: null };
}

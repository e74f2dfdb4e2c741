import type { IncomingMessage } from "node:http";
import type { Usage } from "../protocol/message.ts";
import type { ModelEvent, ModelPort, ModelRef } from "../protocol/model-port.ts";
import { AppError, errorCode, errorMessage } from "../shared/error.ts";
import { readAnswer } from "./answer.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { costOf } from "./cost.ts";
import { type Failure, failure, interrupted, networkFailure, scrub } from "./failure.ts";
import type { Agents } from "./http/agents.ts";
import { isLoopback } from "./http/no-proxy.ts";
import { post } from "./http/post.ts";
import { createReply, type Reply } from "./reply.ts";
import { createWatch } from "./watch.ts";
import type { Credential, Decoder } from "./wire.ts";
import { WIRES } from "./wires.ts";

type Asked = Parameters<ModelPort["stream"]>[0];

/** One model call. Never throws: the last event is `message_end` or `failed`. */
export async function* call(asked: Asked, agents: Agents, bodyLimit: number): AsyncGenerator<ModelEvent> {
  const { model, signal } = asked;
  const reply = createReply(model.id);
  const wire = WIRES[model.wire];
  const decoder = wire.decoder(reply, model);
  const watch = createWatch(signal, asked.timeoutMs);
  const credential = findCredential(model, asked.credentials);
  let failed: Failure | null = null;
  try {
    const opened = await open(asked, credential, watch.signal, agents);
    watch.touch();
    if ("failed" in opened) failed = opened.failed;
    else {
      const reader: AnswerReader = { decoder, reply, watch, bodyLimit, keyHint: credential?.name ?? null };
      failed = yield* readAnswer(opened.answer, reader);
    }
  } catch (error) {
    failed = thrown(error, model);
  } finally {
    watch.stop();
  }
  if (signal.aborted) failed = interrupted();
  else if (watch.expired()) failed = timedOut(asked.timeoutMs);
  const last = lastEvent(asked, reply, decoder, failed && scrub(failed, secretsOf(asked)));
  if (!failed) yield* reply.takeEvents(); // calls that end with the message
  yield last;
}

async function open(
  asked: Asked,
  credential: Credential | null,
  signal: AbortSignal,
  agents: Agents,
): Promise<{ answer: IncomingMessage } | { failed: Failure }> {
  const { model } = asked;
  if (signal.aborted) return { failed: interrupted() };
  if (!credential && model.keyNames.length > 0) {
    const message = `no key for ${model.id}: set ${model.keyNames.join(" or ")}`;
    return { failed: failure("authentication", message) };
  }
  const wire = WIRES[model.wire];
  const address = wire.url(model.baseUrl.replace(/\/+$/, ""));
  if (!/^https?:/.test(address) || !URL.canParse(address)) {
    const message = `the base URL of ${model.provider} is no http URL: ${model.baseUrl}`;
    return { failed: failure("config", message) };
  }
  const answer = await post(
    {
      url: new URL(address),
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "lathe",
        ...wire.headers(credential),
        ...lowerCased(model.headers ?? {}),
      },
      body: JSON.stringify(wire.body(model, asked.request)),
      environment: asked.environment,
      signal,
    },
    agents,
  );
  return "badRoute" in answer ? { failed: failure("config", answer.badRoute) } : { answer };
}

function findCredential(model: ModelRef, credentials: Record<string, string>): Credential | null {
  for (const name of model.keyNames) {
    const value = credentials[name]?.trim();
    if (value) return { name, value };
  }
  return null;
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function thrown(error: unknown, model: ModelRef): Failure {
  if (error instanceof AppError) {
    return failure(error.code === "proxy_refused" ? "network" : "config", error.message);
  }
  if (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_INVALID")) {
    // A key or header with a line break, say; Node's own text would quote the value.
    return failure(
      "config",
      `the request to ${model.provider} cannot be sent: a header or key holds illegal characters`,
    );
  }
  // Node's network errors all have a code; anything else is a mistake of ours.
  if (errorCode(error) === undefined) return failure("internal", errorMessage(error));
  const url = new URL(model.baseUrl);
  return networkFailure(error, url.origin, isLoopback(url.hostname));
}

const timedOut = (ms: number): Failure =>
  failure("timeout", `the model server sent nothing for ${Math.round(ms / 1000)} s`, { retryable: true });

/** Everything that must not appear in an error text, whoever wrote it. */
function secretsOf(asked: Asked): string[] {
  const headers = Object.entries(asked.model.headers ?? {}).filter(([name]) =>
    /auth|key|token|cookie/i.test(name),
  );
  const values = headers.flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]);
  return [...Object.values(asked.credentials), ...values];
}

function lastEvent(asked: Asked, reply: Reply, decoder: Decoder, failed: Failure | null): ModelEvent {
  const { cost, ...tokens } = decoder.usage();
  const usage: Usage = { ...tokens, cost: cost ?? costOf(tokens, asked.model.price) };
  if (failed) {
    const { error, retryable, retryAfterMs } = failed;
    return { type: "failed", error, retryable, retryAfterMs, partial: reply.partial(), usage };
  }
  const { stopReason, note } = decoder.ending() ?? { stopReason: "error" as const };
  const content = reply.content(asked.newId);
  return { type: "message_end", content, stopReason, usage, ...(note ? { note } : {}) };
}

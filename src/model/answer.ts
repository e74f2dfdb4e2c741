import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { ModelEvent } from "../protocol/model-port.ts";
import { cutText } from "../shared/text.ts";
import { createDeltaTemplate } from "./delta-template.ts";
import { cutFailure, type Failure, failure, httpFailure } from "./failure.ts";
import type { Reply } from "./reply.ts";
import { createSseParser } from "./sse.ts";
import type { Watch } from "./watch.ts";
import type { Decoder } from "./wire.ts";

export type AnswerReader = {
  decoder: Decoder;
  reply: Reply;
  watch: Watch;
  /** Bytes of one answer. */
  bodyLimit: number;
  /** Name of the credential that was sent. */
  keyHint: string | null;
};

/** Bytes of an error body that are read. */
const ERROR_BYTES = 64 * 1024;

/** Reads an answer of any kind; yields events as the message grows and returns what went wrong, or null. */
export async function* readAnswer(
  answer: IncomingMessage,
  reader: AnswerReader,
): AsyncGenerator<ModelEvent, Failure | null> {
  const status = answer.statusCode ?? 0;
  const type = answer.headers["content-type"] ?? "";
  const encoding = answer.headers["content-encoding"] ?? "identity";
  try {
    if (status < 200 || status > 299) {
      const { text } = await readText(answer, reader.watch, ERROR_BYTES);
      return httpFailure(status, answer.headers, text, reader.keyHint);
    }
    if (encoding !== "identity")
      return failure("server", `the answer is compressed (${encoding}) though nobody asked`);
    if (type.includes("text/html")) {
      const { text } = await readText(answer, reader.watch, ERROR_BYTES);
      return failure(
        "server",
        `the server sent a web page, no answer; check the base URL: ${cutText(text.trim(), 200, "…")}`,
      );
    }
    yield { type: "message_start" };
    if (type.includes("application/json")) return yield* readDocument(answer, reader);
    return yield* readStream(answer, reader);
  } finally {
    await leave(answer);
  }
}

/** Milliseconds that a finished answer is given to end, so that the next request finds its connection free. */
const END_MS = 10;

/** Lets what is left of an answer run out, or cuts it after a second. */
function leave(answer: IncomingMessage): Promise<void> {
  if (answer.readableEnded || answer.destroyed) return Promise.resolve();
  return new Promise((done) => {
    const soon = setTimeout(done, END_MS);
    const late = setTimeout(() => answer.destroy(), 1000);
    late.unref();
    const over = (): void => {
      clearTimeout(soon);
      clearTimeout(late);
      done();
    };
    answer.on("error", over);
    answer.once("end", over);
    answer.once("close", over);
    answer.resume();
  });
}

async function* readStream(
  answer: IncomingMessage,
  { decoder, reply, watch, bodyLimit }: AnswerReader,
): AsyncGenerator<ModelEvent, Failure | null> {
  let problem: Failure | null = null;
  let ended = false;
  const template = createDeltaTemplate((text) => reply.growOn(text));
  const parser = createSseParser((name, data, frame) => {
    if (problem || decoder.closed() || decoder.word(data)) return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      // Half a line at the end is a cut answer; half a line elsewhere is a server that cannot write.
      problem = ended
        ? cutFailure("half an event")
        : failure("server", `the stream holds broken JSON: ${cutText(data, 200, "…")}`, { retryable: true });
      return;
    }
    reply.takeGrowth();
    problem = decoder.event(name, value);
    template.learn(frame, problem ? null : reply.takeGrowth());
  }, template.skip);
  let bytes = 0;
  try {
    for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      watch.touch();
      bytes += chunk.length;
      if (bytes > bodyLimit) return tooLarge(answer, bodyLimit);
      parser.feed(chunk);
      for (const event of reply.takeEvents()) yield event;
      if (problem) return problem;
      if (decoder.closed()) return null;
    }
  } catch (error) {
    if (watch.signal.aborted || decoder.ending() === null) return cutFailure((error as Error).message);
    return null;
  }
  ended = true;
  parser.end();
  for (const event of reply.takeEvents()) yield event;
  if (problem) return problem;
  return decoder.ending() ? null : cutFailure("the stream ended without its closing events");
}

function tooLarge(answer: IncomingMessage, limit: number): Failure {
  answer.destroy();
  return failure("too_large", `the answer is larger than ${limit} bytes and was dropped`);
}

async function* readDocument(
  answer: IncomingMessage,
  { decoder, reply, watch, bodyLimit }: AnswerReader,
): AsyncGenerator<ModelEvent, Failure | null> {
  let whole: { text: string; cut: boolean };
  try {
    whole = await readText(answer, watch, bodyLimit);
  } catch (error) {
    return cutFailure((error as Error).message);
  }
  if (whole.cut) return tooLarge(answer, bodyLimit);
  let body: unknown;
  try {
    body = JSON.parse(whole.text);
  } catch {
    return failure("server", `the answer is broken JSON: ${cutText(whole.text, 200, "…")}`, {
      retryable: true,
    });
  }
  const problem = decoder.document(body);
  for (const event of reply.takeEvents()) yield event;
  if (problem) return problem;
  return decoder.ending()
    ? null
    : failure("server", `the answer is no message: ${cutText(whole.text, 200, "…")}`);
}

async function readText(
  answer: IncomingMessage,
  watch: Watch,
  limit: number,
): Promise<{ text: string; cut: boolean }> {
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    watch.touch();
    bytes += chunk.length;
    if (bytes > limit) return { text, cut: true };
    text += decoder.write(chunk);
  }
  return { text: text + decoder.end(), cut: false };
}

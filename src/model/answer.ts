import type { IncomingMessage } from "node:http";
import type { ModelEvent } from "../protocol/model-port.ts";
import { cutText } from "../shared/text.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { type Failure, failure, httpFailure } from "./failure.ts";
import { readDocument, readText } from "./read-document.ts";
import { readStream } from "./read-stream.ts";

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
    if (encoding !== "identity") {
      return failure("server", `the answer is compressed (${encoding}) though nobody asked`);
    }
    if (type.includes("text/html")) {
      const { text } = await readText(answer, reader.watch, ERROR_BYTES);
      return failure(
        "server",
        `the server sent a web page, no answer; check the base URL: ${cutText(text.trim(), 200, "…")}`,
      );
    }
    yield { type: "message_start" };
    const read = type.includes("application/json") ? readDocument : readStream;
    const failed = yield* read(answer, reader);
    if (failed) answer.destroy(); // there may be no end to it
    return failed;
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

import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { ModelEvent } from "../protocol/model-port.ts";
import { cutText } from "../shared/text.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { cutFailure, type Failure, failure, tooLarge } from "./failure.ts";
import { pump } from "./pump.ts";
import type { Watch } from "./watch.ts";

/** Reads an answer that is one JSON document, as services send it that do not stream. */
export async function* readDocument(
  answer: IncomingMessage,
  { decoder, reply, watch, bodyLimit }: AnswerReader,
): AsyncGenerator<ModelEvent, Failure | null> {
  const whole = await readText(answer, watch, bodyLimit);
  if (whole.broken !== null) return cutFailure(whole.broken);
  if (whole.cut) return tooLarge(bodyLimit);
  let body: unknown;
  try {
    body = JSON.parse(whole.text);
  } catch {
    return failure("server", `the answer is broken JSON: ${cutText(whole.text, 200, "…")}`, {
      retryable: true,
    });
  }
  const problem = decoder.document(body);
  yield* reply.takeEvents();
  if (problem) return problem;
  return decoder.ending()
    ? null
    : failure("server", `the answer is no message: ${cutText(whole.text, 200, "…")}`);
}

/** The text of an answer, at most `limit` bytes of it. `broken`: why the rest did not come. */
export async function readText(
  answer: IncomingMessage,
  watch: Watch,
  limit: number,
): Promise<{ text: string; cut: boolean; broken: string | null }> {
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  const source = pump(answer, (chunk) => {
    watch.touch();
    bytes += chunk.length;
    if (bytes <= limit) text += decoder.write(chunk);
  });
  for (;;) {
    const end = await source.next();
    if (bytes > limit) return { text, cut: true, broken: null };
    if (end)
      return { text: text + decoder.end(), cut: false, broken: end.type === "end" ? null : end.message };
  }
}

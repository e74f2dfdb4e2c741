import type { IncomingMessage } from "node:http";
import type { ModelEvent } from "../protocol/model-port.ts";
import { cutText } from "../shared/text.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { createDeltaTemplate } from "./delta-template.ts";
import { cutFailure, type Failure, failure, tooLarge } from "./failure.ts";
import { pump } from "./pump.ts";
import { createSseParser } from "./sse.ts";

/** Reads an event stream; yields events as the message grows and returns what went wrong, or null. */
export async function* readStream(
  answer: IncomingMessage,
  reader: AnswerReader,
): AsyncGenerator<ModelEvent, Failure | null> {
  const { decoder, reply } = reader;
  const taker = createTaker(reader);
  const source = pump(answer, taker.take);
  for (;;) {
    const end = await source.next();
    if (end) taker.end();
    yield* reply.takeEvents();
    const problem = taker.problem();
    if (problem) return problem;
    if (decoder.closed()) return null;
    if (!end) continue;
    if (end.type === "broken") return decoder.ending() ? null : cutFailure(end.message);
    return decoder.ending() ? null : cutFailure("the stream ended without its closing events");
  }
}

type Taker = { take(chunk: Buffer): void; end(): void; problem(): Failure | null };

/** From bytes to the reply; stops taking at the first problem and when the service has said that all is told. */
function createTaker({ decoder, reply, watch, bodyLimit }: AnswerReader): Taker {
  let problem: Failure | null = null;
  let ended = false;
  let bytes = 0;
  const template = createDeltaTemplate((text) => reply.growOn(text));
  const read = (name: string, data: string): void => {
    if (decoder.word(data)) return;
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
    problem = decoder.event(name, value);
  };
  const over = (): boolean => problem !== null || decoder.closed();
  const parser = createSseParser((name, data, frame) => {
    reply.takeGrowth();
    if (!over()) read(name, data);
    template.learn(frame, over() ? null : reply.takeGrowth());
  }, template.skip);
  return {
    take(chunk) {
      if (over()) return;
      watch.touch();
      bytes += chunk.length;
      if (bytes > bodyLimit) problem = tooLarge(bodyLimit);
      else parser.feed(chunk);
    },
    end() {
      if (ended || over()) return;
      ended = true;
      parser.end();
    },
    problem: () => problem,
  };
}

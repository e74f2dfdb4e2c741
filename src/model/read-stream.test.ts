import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openaiChatDecoder } from "./openai-chat/decoder.ts";
import { readStream } from "./read-stream.ts";
import { createReply } from "./reply.ts";
import { createWatch } from "./watch.ts";

const model = {
  id: "t/m",
  provider: "t",
  model: "m",
  wire: "openai-chat" as const,
  baseUrl: "http://127.0.0.1",
  keyNames: [],
  contextWindow: null,
  maxOutput: 1,
  images: true,
  price: null,
};

type Delta = { content: string } | { reasoning_content: string };

/** Reads the deltas as an answer that arrives in pieces of `size` bytes; the texts block by block. */
async function read(deltas: Delta[], size: number): Promise<{ blocks: string[]; shown: string }> {
  const frames = deltas.map(
    (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
  );
  const bytes = Buffer.from(`${frames.join("")}data: [DONE]\n\n`);
  const answer = new PassThrough({ highWaterMark: 1 << 20 });
  for (let at = 0; at < bytes.length; at += size) answer.write(bytes.subarray(at, at + size));
  answer.end();
  const reply = createReply("t/m");
  const watch = createWatch(new AbortController().signal, 5000);
  const reader = {
    decoder: openaiChatDecoder(reply, model),
    reply,
    watch,
    bodyLimit: 1 << 20,
    keyHint: null,
  };
  let shown = "";
  for await (const event of readStream(answer as unknown as IncomingMessage, reader)) {
    if (event.type === "text_delta" || event.type === "thinking_delta") shown += event.text;
  }
  watch.stop();
  return { blocks: reply.blocks.map((block) => `${block.type}:${block.parts.join("")}`), shown };
}

describe("event stream to reply", () => {
  it("gives every text to its block, whatever it holds and however it arrives", async () => {
    const text = fc.oneof(
      fc.constantFrom(
        "a",
        "word",
        "content",
        "delta",
        "index",
        "0",
        "null",
        '"',
        "\\",
        "\n",
        "🙂",
        "木",
        "}]}",
        "",
        "\\n\\n",
      ),
      fc.string({ unit: "grapheme", maxLength: 5 }),
    );
    const delta = fc.oneof(
      { weight: 4, arbitrary: text.map((content): Delta => ({ content })) },
      { weight: 1, arbitrary: text.map((reasoning_content): Delta => ({ reasoning_content })) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(delta, { maxLength: 40 }),
        fc.integer({ min: 1, max: 400 }),
        async (deltas, size) => {
          const expected: string[] = [];
          for (const item of deltas) {
            const [type, value] =
              "content" in item ? ["text", item.content] : ["thinking", item.reasoning_content];
            if (value === "") continue;
            if (expected.at(-1)?.startsWith(`${type}:`)) expected[expected.length - 1] += value;
            else expected.push(`${type}:${value}`);
          }
          const got = await read(deltas, size);
          expect(got.blocks).toEqual(expected);
          expect(got.shown).toBe(expected.map((block) => block.slice(block.indexOf(":") + 1)).join(""));
        },
      ),
      { numRuns: 200 },
    );
  });
});

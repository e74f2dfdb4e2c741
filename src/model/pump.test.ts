import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { pump } from "./pump.ts";

async function answerOf(parts: string[], cut: boolean): Promise<{ answer: IncomingMessage; close(): void }> {
  const server = createServer((_message, response) => {
    for (const part of parts) response.write(part);
    if (cut) setTimeout(() => response.destroy(), 20);
    else response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((done) =>
    get({ port, host: "127.0.0.1", agent: false }, done),
  );
  return { answer, close: () => void server.close() };
}

async function all(answer: IncomingMessage): Promise<{ text: string; end: string }> {
  let text = "";
  const source = pump(answer, (chunk) => {
    text += chunk.toString();
  });
  for (;;) {
    const end = await source.next();
    if (end) return { text, end: end.type };
  }
}

describe("pump", () => {
  it("hands on everything and tells the end", async () => {
    const { answer, close } = await answerOf(["ab", "cd"], false);
    expect(await all(answer)).toEqual({ text: "abcd", end: "end" });
    close();
  });

  it("tells a broken answer, also one that broke before anyone listened", async () => {
    const first = await answerOf(["ab"], true);
    expect(await all(first.answer)).toEqual({ text: "ab", end: "broken" });
    const second = await answerOf(["ab"], true);
    await new Promise((done) => second.answer.once("close", done));
    expect(await all(second.answer)).toMatchObject({ end: "broken" });
    first.close();
    second.close();
  });
});

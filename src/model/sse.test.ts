import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser } from "./sse.ts";

function parse(chunks: Buffer[]): [string, string][] {
  const events: [string, string][] = [];
  const parser = createSseParser((name, data) => events.push([name, data]));
  for (const chunk of chunks) parser.feed(chunk);
  parser.end();
  return events;
}

describe("event stream", () => {
  it("reads names, comments, joined lines, a BOM and a missing last blank line", () => {
    const text = "\ufeff: hi\nevent: a\ndata: 1\ndata:2\nid: 9\n\n\n\ndata\n\nevent: b\ndata: x";
    expect(parse([Buffer.from(text)])).toEqual([
      ["a", "1\n2"],
      ["b", "x"],
    ]);
  });

  it("lets whole events be taken at their start", () => {
    const events: string[] = [];
    const skip = (buffer: string, at: number): number => (buffer.startsWith("data: s\n\n", at) ? at + 9 : -1);
    const parser = createSseParser((_name, data, frame) => events.push(`${data}|${frame}`), skip);
    parser.feed(Buffer.from("data: a\n\ndata: s\n\ndata: b\n\nevent: x\ndata: s\n\ndata: s\n"));
    parser.feed(Buffer.from("\ndata: s\n\ndata: c\n\n"));
    expect(events).toEqual(["a|null", "b|data: b\n\n", "s|event: x\ndata: s\n\n", "s|null", "c|data: c\n\n"]);
  });

  it("gives the same events wherever the bytes are split and whatever the line ends are", () => {
    const payload = fc.array(
      fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\ufeff]/g, "")),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        payload,
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.integer({ min: 1, max: 7 }),
        (texts, end, size) => {
          const bytes = Buffer.from(texts.map((text) => `event: e${end}data: ${text}${end}${end}`).join(""));
          const chunks = [];
          for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
          expect(parse(chunks)).toEqual(texts.map((text) => ["e", text]));
        },
      ),
    );
  });
});

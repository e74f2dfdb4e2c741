import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyDecoder, type Key } from "./keys.ts";

const press = (name: string, modifiers: Partial<Record<"ctrl" | "alt" | "shift", boolean>> = {}) => ({
  type: "key",
  name,
  ctrl: false,
  alt: false,
  shift: false,
  ...modifiers,
});

function decode(...chunks: (string | Uint8Array)[]): Key[] {
  const decoder = createKeyDecoder();
  const keys = chunks.flatMap((chunk) => decoder.feed(Buffer.from(chunk as string)));
  return [...keys, ...decoder.flush()];
}

describe("keys", () => {
  it.each([
    ["\r", press("enter")],
    ["\n", press("newline")],
    ["\x1b\r", press("enter", { alt: true })],
    ["\x1b[13;2u", press("enter", { shift: true })],
    ["\x1b[27;2;13~", press("enter", { shift: true })],
    ["\x1b[A", press("up")],
    ["\x1bOA", press("up")],
    ["\x1b[1;5C", press("right", { ctrl: true })],
    ["\x1b[3~", press("delete")],
    ["\x1b[Z", press("tab", { shift: true })],
    ["\x03", press("letter:c", { ctrl: true })],
    ["\x1b[99;5u", press("letter:c", { ctrl: true })],
    ["\x1bb", press("letter:b", { alt: true })],
    ["\x7f", press("backspace")],
    ["\x1b\x7f", press("backspace", { alt: true })],
    ["\x1b", press("escape")],
    ["\x1b[27u", press("escape")],
    ["é日👍", { type: "text", text: "é日👍" }],
  ])("%j", (bytes, key) => {
    expect(decode(bytes)).toEqual([key]);
  });

  it("ignores answers of the terminal, releases and unknown sequences", () => {
    expect(
      decode("\x1b]11;rgb:0000/0000/0000\x07", "\x1b[97;1:3u", "\x1b[?62;22c", "\x1b[I", "\x1bP1$r\x1b\\"),
    ).toEqual([]);
  });

  it("takes a paste as it is, cut anywhere", () => {
    const text = "a\r\n\x1b[31mb\x03 日本";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const bytes = Buffer.from(`x\x1b[200~${text}\x1b[201~y`);
        const decoder = createKeyDecoder();
        const keys: Key[] = [];
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] ?? 1;
          keys.push(...decoder.feed(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(keys).toEqual([
          { type: "text", text: "x" },
          { type: "paste", text },
          { type: "text", text: "y" },
        ]);
      }),
    );
  });

  it("waits for the rest of a sequence and of a character", () => {
    const decoder = createKeyDecoder();
    expect(decoder.feed(Buffer.from("\x1b["))).toEqual([]);
    expect(decoder.pending).toBe(true);
    expect(decoder.feed(Buffer.from("A"))).toEqual([press("up")]);
    expect(decoder.feed(Buffer.from([0xe6, 0x97]))).toEqual([]);
    expect(decoder.feed(Buffer.from([0xa5]))).toEqual([{ type: "text", text: "日" }]);
  });
});

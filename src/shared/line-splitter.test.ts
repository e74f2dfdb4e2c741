import { describe, expect, it } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

function collect(maxBytes: number) {
  const seen: string[] = [];
  const splitter = createLineSplitter(maxBytes, {
    line: (text) => seen.push(text),
    unreadable: (reason) => seen.push(`!${reason}`),
  });
  return { seen, splitter };
}

describe("createLineSplitter", () => {
  it("gives the same lines however the bytes are cut, also within a character", () => {
    const bytes = Buffer.from('{"a":"ä😀"}\r\n\n  \nsecond\n\uFEFFthird\nunfinished');
    for (let step = 1; step <= bytes.length; step++) {
      const { seen, splitter } = collect(100);
      for (let at = 0; at < bytes.length; at += step) splitter.push(bytes.subarray(at, at + step));
      expect(seen).toEqual(['{"a":"ä😀"}\r', "second", "\uFEFFthird"]);
    }
  });

  it("reports a line that is too long once, skips it and goes on", () => {
    const { seen, splitter } = collect(4);
    for (const part of ["abcd\nab", "cde", "fghij", "kl", "\nend\n", "12345\nok\n"])
      splitter.push(Buffer.from(part));
    expect(seen).toEqual(["abcd", "!too_long", "end", "!too_long", "ok"]);
  });

  it("reports bytes that are no UTF-8 and goes on", () => {
    const { seen, splitter } = collect(10);
    splitter.push(Buffer.from([0xff, 0xfe, 0x0a, 0x61, 0x0a]));
    expect(seen).toEqual(["!not_utf8", "a"]);
  });
});

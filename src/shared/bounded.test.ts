import { describe, expect, it } from "vitest";
import { createBoundedBuffer } from "./bounded.ts";

const collect = (limit: number, parts: (string | Uint8Array)[]) => {
  const buffer = createBoundedBuffer(limit);
  for (const part of parts) buffer.push(typeof part === "string" ? Buffer.from(part) : part);
  return buffer.read();
};

describe("createBoundedBuffer", () => {
  it("keeps all of what fits, whatever the pieces are", () => {
    expect(collect(10, ["abc", "defg", "hij"])).toEqual({ text: "abcdefghij", totalBytes: 10, cut: false });
    expect(collect(10, [])).toEqual({ text: "", totalBytes: 0, cut: false });
  });

  it("keeps beginning and end and counts the middle", () => {
    const kept = collect(10, ["0123456789", "abcdefgh", "ijklmnopqrstuvwxyz"]);
    expect(kept.text).toBe("01234\n[... 26 bytes left out ...]\nvwxyz");
    expect(kept).toMatchObject({ totalBytes: 36, cut: true });
  });

  it("gives the same for any way of cutting the same bytes", () => {
    const text = Array.from({ length: 500 }, (_, index) => `line ${index} äöü€😀\n`).join("");
    const whole = collect(101, [text]);
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 50, 51, 100, 1000]) {
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
      expect(collect(101, parts)).toEqual(whole);
    }
    expect(whole.text).not.toContain("\uFFFD");
  });

  it("does not hold on to the buffers it was given", () => {
    const chunk = Buffer.from("hello");
    const buffer = createBoundedBuffer(100);
    buffer.push(chunk);
    chunk.fill(0x78);
    expect(buffer.read().text).toBe("hello");
  });
});

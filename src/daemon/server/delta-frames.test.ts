import { describe, expect, it } from "vitest";
import type { Delta } from "../../protocol/event.ts";
import { mergeDelta } from "./delta-frames.ts";

const merged = (...deltas: Delta[]): Delta[] => {
  const list: Delta[] = [];
  for (const delta of deltas) mergeDelta(list, delta);
  return list;
};
const text = (effectId: string, words: string): Delta => ({ type: "text", effectId, text: words });
const thinking = (words: string): Delta => ({ type: "thinking", effectId: "a", text: words });
const call = (index: number, chars: number): Delta => ({
  type: "tool_call",
  effectId: "a",
  index,
  name: "t",
  chars,
});
const progress = (words: string): Delta => ({ type: "progress", callId: "c", text: words });

describe("mergeDelta", () => {
  it("joins text of one effect and kind only", () => {
    expect(
      merged(text("a", "1"), text("a", "2"), thinking("3"), thinking("4"), text("a", "5"), text("b", "6")),
    ).toEqual([text("a", "12"), thinking("34"), text("a", "5"), text("b", "6")]);
  });

  it("keeps the newest count of a call", () => {
    expect(merged(call(0, 1), call(0, 9), call(1, 2))).toEqual([call(0, 9), call(1, 2)]);
  });

  it("drops the oldest progress of many, and nothing else", () => {
    const list = merged(
      text("a", "x"),
      ...Array.from({ length: 100 }, (_, index) => progress(String(index))),
    );
    expect(list).toHaveLength(65);
    expect(list[0]).toEqual(text("a", "x"));
    expect(list.at(-1)).toEqual(progress("99"));
  });

  it("forgets what an effect said before it was started again", () => {
    const restarted: Delta = { type: "restarted", effectId: "a" };
    expect(merged(text("a", "x"), text("b", "y"), progress("p"), restarted, text("a", "z"))).toEqual([
      text("b", "y"),
      progress("p"),
      restarted,
      text("a", "z"),
    ]);
  });
});

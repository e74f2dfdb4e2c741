import { describe, expect, it } from "vitest";
import { createDeltaTemplate, type DeltaTemplate } from "./delta-template.ts";

const frame = (text: string, more = ""): string =>
  `event: e\ndata: {"a":"x","delta":${JSON.stringify(text)}${more}}\n\n`;

function template(): { texts: string[]; made: DeltaTemplate } {
  const texts: string[] = [];
  return { texts, made: createDeltaTemplate((text) => texts.push(text)) };
}

describe("delta template", () => {
  it("takes events that differ in their text alone, anywhere in the buffer", () => {
    const { texts, made } = template();
    expect(made.skip(frame("one"), 0)).toBe(-1);
    made.learn(frame("one"), "one");
    const buffer = `${frame("two")}${frame("")}${frame("ä 🙂")}`;
    let at = 0;
    for (let n = 0; n < 3; n++) at = made.skip(buffer, at);
    expect(at).toBe(buffer.length);
    expect(texts).toEqual(["two", "", "ä 🙂"]);
  });

  it("leaves everything else to the full reading", () => {
    const { texts, made } = template();
    made.learn(frame("one"), "one");
    const others = [
      frame('q"'),
      frame("b\\"),
      frame("l\n"),
      frame("one", ',"n":1'),
      frame("one").replace('"a"', '"b"'),
      frame("one").replace("event: e", "event: f"),
      frame("one").slice(0, -1),
      frame("one").slice(0, -6),
      "",
    ];
    for (const other of others) expect(made.skip(other, 0)).toBe(-1);
    expect(texts).toEqual([]);
  });

  it("forgets at the next event that is read in full, and learns nothing uncertain", () => {
    const { made } = template();
    made.learn(frame("one"), "one");
    made.learn(null, null);
    expect(made.skip(frame("two"), 0)).toBe(-1);
    made.learn(frame("x"), "x");
    expect(made.skip(frame("y"), 0)).toBe(-1);
    made.learn(frame('q"'), 'q"');
    expect(made.skip(frame("y"), 0)).toBe(-1);
  });

  it("gives up on a service whose events always differ", () => {
    const { made } = template();
    for (let n = 0; n < 30; n++) made.learn(frame(`t${n}`, `,"n":${n}`), `t${n}`);
    made.learn(frame("one"), "one");
    expect(made.skip(frame("two"), 0)).toBe(-1);
  });
});

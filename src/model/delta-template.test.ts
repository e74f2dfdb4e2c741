import { describe, expect, it } from "vitest";
import { createDeltaTemplate } from "./delta-template.ts";

const event = (text: string, more = ""): string => `{"a":"x","delta":${JSON.stringify(text)}${more}}`;

describe("delta template", () => {
  it("reads the text of events that differ in it alone", () => {
    const template = createDeltaTemplate();
    expect(template.match("e", event("one"))).toBe(null);
    template.learn("e", event("one"), "one");
    expect(["two", "", "ä 🙂"].map((text) => template.match("e", event(text)))).toEqual(["two", "", "ä 🙂"]);
  });

  it("leaves everything else to the full reading", () => {
    const template = createDeltaTemplate();
    template.learn("e", event("one"), "one");
    const others = [
      event('q"'),
      event("b\\"),
      event("l\n"),
      event("one", ',"n":1'),
      `{"b":"x","delta":"one"}`,
      '{"a":"x","delta":"}',
    ];
    expect(others.map((data) => template.match("e", data))).toEqual(others.map(() => null));
    expect(template.match("e", '{"a":"x","delta":"t","delta":"u"}')).toBe(null);
    expect(template.match("other", event("two"))).toBe(null);
    template.learn("e", "{}", null);
    expect(template.match("e", event("two"))).toBe(null);
  });

  it("learns nothing where the text's place is not certain", () => {
    const template = createDeltaTemplate();
    template.learn("e", '{"a":"x","delta":"x"}', "x");
    expect(template.match("e", '{"a":"x","delta":"y"}')).toBe(null);
  });
});

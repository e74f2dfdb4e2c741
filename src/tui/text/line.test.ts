import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutLine, lineWidth, span, wrap } from "./line.ts";
import { clusters, clusterWidth, cutWidth, textWidth } from "./width.ts";

describe("widths", () => {
  it.each([
    ["abc", 3],
    ["日本", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 2],
    ["👨‍👩‍👧", 2],
    ["❤\ufe0f", 2],
    ["🇩🇪", 2],
    ["│ • ✓", 5],
    ["ｆｕｌｌ", 8],
    ["a\u200bb", 2],
  ])("%j is %i cells", (text, cells) => {
    expect(textWidth(text)).toBe(cells);
  });

  it("is the sum of its characters", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "日", "│", "é", "👍", "ん", "가", "！", "…") });
    fc.assert(
      fc.property(text, (value) => {
        expect(textWidth(value)).toBe(clusters(value).reduce((sum, one) => sum + clusterWidth(one), 0));
        expect(textWidth(cutWidth(value, 7))).toBeLessThanOrEqual(7);
      }),
    );
  });
});

describe("wrapping", () => {
  const words = fc.array(fc.constantFrom("a", "word", "日本語", "averyverylongword", "👍", " ", "  "), {
    maxLength: 30,
  });
  it("loses nothing but blanks and fits everywhere", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), fc.boolean(), (parts, width, hard) => {
        const text = parts.join("");
        const rows = wrap([span("plain", text)], width, {
          first: [span("dim", "> ")],
          rest: [span("dim", "  ")],
          hard,
        });
        for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        const joined = rows
          .map((row) =>
            row
              .slice(1)
              .map((part) => part.text)
              .join(""),
          )
          .join("");
        expect(joined.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        if (hard) expect(joined).toBe(text);
      }),
    );
  });

  it("keeps words whole", () => {
    const rows = wrap([span("plain", "one two "), span("bold", "three")], 9);
    expect(
      rows.map((row) =>
        row
          .map((part) => part.text)
          .join("")
          .trimEnd(),
      ),
    ).toEqual(["one two", "three"]);
  });

  it("cuts with an ellipsis", () => {
    expect(cutLine([span("plain", "one"), span("bold", " two three")], 8)).toEqual([
      span("plain", "one"),
      span("bold", " two…"),
    ]);
  });
});

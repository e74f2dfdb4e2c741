import { describe, expect, it } from "vitest";
import { partLines } from "../blocks/render-block.ts";
import { UNICODE } from "../theme/glyphs.ts";
import { plainText } from "../theme/theme.ts";
import { advance, EMPTY_STREAM, finish, type Part, tailPart } from "./stream.ts";

const TEXT = `# Title

A paragraph
of two lines.

- one
- two
  - inner

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
const a = 1; /* open

still */ const b = 2;
\`\`\`

1. first
2. second

> quoted

The end.
`;

function streamed(text: string, size: number): { parts: Part[]; rows: string[]; tails: number } {
  let stream = EMPTY_STREAM;
  const parts: Part[] = [];
  let tails = 0;
  for (let at = 0; at < text.length; at += size) {
    const step = advance(stream, text.slice(at, at + size));
    stream = step.stream;
    parts.push(...step.parts);
    if (tailPart(stream)) tails += 1;
  }
  parts.push(...finish(stream));
  const rows = parts.flatMap((part) => partLines(part, { width: 60, glyphs: UNICODE })).map(plainText);
  return { parts, rows: rows.map((row) => row.trimEnd()), tails };
}

describe("a message that streams", () => {
  it.each([1, 2, 3, 7, 50, 10_000])("gives the same rows in pieces of %i", (size) => {
    expect(streamed(TEXT, size).rows).toEqual(streamed(TEXT, 4).rows);
  });

  it("draws what it holds", () => {
    expect(streamed(TEXT, 4).rows).toMatchInlineSnapshot(`
      [
        "",
        "Title",
        "",
        "A paragraph",
        "of two lines.",
        "",
        "• one",
        "• two",
        "  • inner",
        "",
        "│ a   │ b   │",
        "├─────┼─────┤",
        "│ 1   │ 2   │",
        "",
        "│ const a = 1; /* open",
        "│",
        "│ still */ const b = 2;",
        "",
        "1. first",
        "2. second",
        "",
        "│ quoted",
        "",
        "The end.",
      ]
    `);
  });

  it("hands code out line by line, and knows what is open from the line before", () => {
    const { parts } = streamed("```ts\na /*\nb\n", 1);
    expect(parts.map((part) => part.type === "code" && [part.lines, part.state?.until])).toEqual([
      [["a /*"], undefined],
      [["b"], "*/"],
    ]);
  });

  it("keeps only the unfinished block", () => {
    const long = `${"words and words\n\n".repeat(2000)}tail`;
    let stream = EMPTY_STREAM;
    for (let at = 0; at < long.length; at += 100) stream = advance(stream, long.slice(at, at + 100)).stream;
    expect(stream.tail.length).toBeLessThan(200);
  });

  it("shows a table while it grows", () => {
    const { stream } = advance(EMPTY_STREAM, "| a | b |\n|---|---|\n| 1 | 2");
    const tail = tailPart(stream);
    expect(tail && partLines(tail, { width: 40, glyphs: UNICODE }).map(plainText)).toEqual([
      "",
      "│ a   │ b   │",
      "├─────┼─────┤",
      "│ 1   │ 2   │",
    ]);
  });
});

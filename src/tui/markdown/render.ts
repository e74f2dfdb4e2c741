import { lexer, type Token, type Tokens } from "marked";
import { type Line, span, wrap } from "../text/line.ts";
import type { Frame } from "./frame.ts";
import { type CodeState, highlightLine } from "./highlight.ts";
import { inlineLines } from "./inline.ts";
import { tableLines } from "./table.ts";

/** Markdown as rows no wider than the frame. */
export function markdownLines(text: string, frame: Frame): Line[] {
  return blockLines(lexer(text), frame);
}

/** Code as rows; long lines break anywhere. */
export function codeLines(
  lines: readonly string[],
  language: string,
  state: CodeState,
  frame: Frame,
): Line[] {
  let open = state;
  const edge = [span("dim", `${frame.glyphs.codeEdge} `)];
  return lines.flatMap((text) => {
    const coloured = highlightLine(text.replaceAll("\t", "    "), language, open);
    open = coloured.state;
    return wrap(coloured.line, frame.width, { first: edge, hard: true });
  });
}

function blockLines(tokens: readonly Token[], frame: Frame): Line[] {
  const rows: Line[] = [];
  for (const token of tokens) {
    const block = oneBlock(token, frame);
    if (block.length === 0) continue;
    if (rows.length > 0 && token.type !== "text") rows.push([]);
    rows.push(...block);
  }
  return rows;
}

function oneBlock(token: Token, frame: Frame): Line[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading": {
      const heading = token as Tokens.Heading;
      const mark = heading.depth > 1 ? [span("heading", `${"#".repeat(heading.depth)} `)] : [];
      return inlineLines(heading.tokens, "heading").flatMap((line) =>
        wrap(line, frame.width, { first: mark, rest: [] }),
      );
    }
    case "code": {
      const code = token as Tokens.Code;
      return codeLines(code.text.split("\n"), (code.lang ?? "").split(/\s/)[0] ?? "", null, frame);
    }
    case "hr":
      return [[span("dim", frame.glyphs.rule.repeat(Math.min(frame.width, 40)))]];
    case "blockquote": {
      const inner = blockLines((token as Tokens.Blockquote).tokens, {
        ...frame,
        width: Math.max(8, frame.width - 2),
      });
      return inner.map((line) => [span("dim", `${frame.glyphs.codeEdge} `), ...line]);
    }
    case "list":
      return listLines(token as Tokens.List, frame);
    case "table":
      return tableLines(token as Tokens.Table, frame);
    default: {
      const inner =
        "tokens" in token && token.tokens
          ? inlineLines(token.tokens)
          : [[span("plain", token.raw.trimEnd())]];
      return inner.flatMap((line) => wrap(line, frame.width));
    }
  }
}

function listLines(list: Tokens.List, frame: Frame): Line[] {
  const start = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const box = item.task ? (item.checked ? "[x] " : "[ ] ") : "";
    const mark = `${list.ordered ? `${start + index}.` : frame.glyphs.bullet} ${box}`;
    const inner = blockLines(
      item.tokens.filter((token) => token.type !== "checkbox"),
      { ...frame, width: Math.max(8, frame.width - mark.length) },
    );
    const rows = (inner.length > 0 ? inner : [[]]).filter(
      (row, at) => list.loose || row.length > 0 || at === 0,
    );
    return rows.map((row, at) => [
      span(at === 0 ? "accent" : "plain", at === 0 ? mark : " ".repeat(mark.length)),
      ...row,
    ]);
  });
}

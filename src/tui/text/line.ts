import { stripControls } from "../../shared/text.ts";
import type { Style } from "../theme/style.ts";
import { clusters, clusterWidth, cutWidth, textWidth } from "./width.ts";

/** A run of text in one style; holds no newline, tab or control sequence. */
export type Span = { style: Style; text: string };
/** One row of the screen. */
export type Line = Span[];

/** A span whose text is safe to draw whatever it was: tabs become blanks, newlines and control sequences go. */
export function span(style: Style, text: string): Span {
  if (!/[\x00-\x1f\x7f-\x9f]/.test(text)) return { style, text };
  return { style, text: stripControls(text).replaceAll("\t", "    ").replaceAll("\n", " ") };
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, part) => sum + textWidth(part.text), 0);
}

/** A line no wider than `width`. */
export function cutLine(line: Line, width: number, ellipsis = "…"): Line {
  if (lineWidth(line) <= width) return line;
  const cut: Line = [];
  let left = width;
  for (const part of line) {
    const partWidth = textWidth(part.text);
    if (partWidth <= left - 1) {
      cut.push(part);
      left -= partWidth;
      continue;
    }
    cut.push({ style: part.style, text: cutWidth(`${part.text}${ellipsis}`, left, ellipsis) });
    break;
  }
  return cut;
}

export type WrapOptions = {
  /** Put before the first row and before the others; their widths count. */
  first?: Line;
  rest?: Line;
  /** Break anywhere, for code and commands. */
  hard?: boolean;
};

/** Breaks a logical line into rows no wider than `width`; words stay whole where they fit. */
export function wrap(parts: Line, width: number, options: WrapOptions = {}): Line[] {
  const first = options.first ?? [];
  const rest = options.rest ?? first;
  const rows: Line[] = [];
  let row: Line = [...first];
  let used = lineWidth(first);
  let empty = true;
  const restWidth = lineWidth(rest);
  const push = (style: Style, text: string, cells: number): void => {
    const last = row.at(-1);
    if (!empty && last && last.style === style) row[row.length - 1] = { style, text: last.text + text };
    else row.push({ style, text });
    used += cells;
    empty = false;
  };
  const breakRow = (): void => {
    rows.push(row);
    row = [...rest];
    used = restWidth;
    empty = true;
  };
  for (const part of parts) {
    const words = options.hard ? [part.text] : (part.text.match(/ +|[^ ]+/g) ?? []);
    for (const word of words) {
      const cells = textWidth(word);
      if (used + cells <= width) {
        if (!(empty && rows.length > 0 && !options.hard && word.trim() === "")) push(part.style, word, cells);
        continue;
      }
      if (!options.hard && word.trim() === "") {
        if (!empty) breakRow();
        continue;
      }
      if (!options.hard && !empty && restWidth + cells <= width) {
        breakRow();
        push(part.style, word, cells);
        continue;
      }
      for (const cluster of clusters(word)) {
        const one = clusterWidth(cluster);
        if (used + one > width && !empty) breakRow();
        push(part.style, cluster, one);
      }
    }
  }
  rows.push(row);
  return rows;
}

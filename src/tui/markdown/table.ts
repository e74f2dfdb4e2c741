import type { Tokens } from "marked";
import { type Line, lineWidth, span, wrap } from "../text/line.ts";
import type { Frame } from "./frame.ts";
import { inlineLines } from "./inline.ts";

const MIN_COLUMN = 3;

/** A table with its columns as wide as their content, or narrower and wrapped where the screen is small. */
export function tableLines(table: Tokens.Table, frame: Frame): Line[] {
  const rows = [table.header, ...table.rows].map((row, index) =>
    row.map((cell) => inlineLines(cell.tokens, index === 0 ? "bold" : "plain").flat()),
  );
  const count = table.header.length;
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(MIN_COLUMN, ...rows.map((row) => lineWidth(row[column] ?? []))),
  );
  const room = frame.width - (3 * count + 1);
  if (room < count * MIN_COLUMN) return asList(rows, frame);
  const widths = shrink(natural, room);
  const { left, bar, cross, right, rule } = frame.glyphs.table;
  const edge = [span("dim", bar)];
  const lines: Line[] = [];
  rows.forEach((row, index) => {
    const cells = widths.map((width, column) => wrap(row[column] ?? [], width));
    const height = Math.max(...cells.map((cell) => cell.length));
    for (let at = 0; at < height; at++) {
      const line: Line = [...edge];
      widths.forEach((width, column) => {
        line.push(...aligned(cells[column]?.[at] ?? [], width, table.align[column] ?? null), ...edge);
      });
      lines.push(line);
    }
    if (index === 0)
      lines.push([span("dim", left + widths.map((width) => rule.repeat(width + 2)).join(cross) + right)]);
  });
  return lines;
}

function aligned(cell: Line, width: number, align: "center" | "left" | "right" | null): Line {
  const free = Math.max(0, width - lineWidth(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return [span("plain", " ".repeat(before + 1)), ...cell, span("plain", " ".repeat(free - before + 1))];
}

/** Takes from the widest columns until all fit. */
function shrink(widths: readonly number[], room: number): number[] {
  const result = [...widths];
  let over = result.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = result.indexOf(Math.max(...result));
    const second = Math.max(MIN_COLUMN, ...result.filter((_, index) => index !== widest));
    const width = result[widest] ?? 0;
    const take = Math.min(over, Math.max(1, width - second));
    if (width <= MIN_COLUMN) break;
    result[widest] = width - take;
    over -= take;
  }
  return result;
}

/** Too narrow for columns: each row as `header: cell`. */
function asList(rows: Line[][], frame: Frame): Line[] {
  const [header = [], ...body] = rows;
  return body.flatMap((row) =>
    row.flatMap((cell, column) =>
      wrap([...(header[column] ?? []), span("plain", ": "), ...cell], frame.width),
    ),
  );
}

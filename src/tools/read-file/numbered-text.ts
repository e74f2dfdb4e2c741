import type { TextSlice } from "../../protocol/ports.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { plural, sliceWhole } from "../../shared/text.ts";
import { errorOutput, textOutput } from "../support/output.ts";

const ROOM_FOR_FRAME = 300;

/** Header, numbered lines, and how to read on; at most `limit` characters. */
export function numberedText(slice: TextSlice, name: string, startChar: number, limit: number): ToolOutput {
  const { totalLines, firstLine } = slice;
  if (totalLines === 0) return textOutput(`${name} (0 lines)\n(empty file)`);
  if (firstLine > totalLines) {
    return errorOutput(
      `Error: offset ${firstLine} is past the end: ${name} has ${plural(totalLines, "line")}.`,
    );
  }
  const shown = keepWhatFits(slice, startChar, limit - ROOM_FOR_FRAME - name.length);
  const last = firstLine + shown.lines.length - 1;
  const whole = firstLine === 1 && last === totalLines;
  const part = whole ? "" : `, showing ${firstLine}-${last}`;
  const header = `${name} (${plural(totalLines, "line")}${part})`;
  return textOutput(
    [header, ...shown.lines, ...readOn(firstLine, last, totalLines, shown.nextChar)].join("\n"),
  );
}

type Fitted = { lines: string[]; nextChar: number | undefined };

/** The numbers make the text longer than what was read: lines that no longer fit are left for the next read. */
function keepWhatFits(slice: TextSlice, startChar: number, room: number): Fitted {
  const lines: string[] = [];
  let left = room;
  for (const [index, line] of slice.lines.entries()) {
    const numbered = `${String(slice.firstLine + index).padStart(4)} | ${line}`;
    if (numbered.length + 1 > left) {
      if (index > 0) return { lines, nextChar: undefined };
      const cut = sliceWhole(numbered, 0, left);
      return { lines: [cut], nextChar: startChar + cut.length - (numbered.length - line.length) };
    }
    lines.push(numbered);
    left -= numbered.length + 1;
  }
  return { lines, nextChar: slice.nextChar };
}

function readOn(first: number, last: number, total: number, nextChar: number | undefined): string[] {
  if (nextChar !== undefined) {
    const more = total > first ? ` and ${plural(total - first, "more line")}` : "";
    return [`... (line ${first} goes on${more}; read on with offset=${first}, start_char=${nextChar})`];
  }
  if (last >= total) return [];
  return [`... (${total - last} more lines; read on with offset=${last + 1})`];
}

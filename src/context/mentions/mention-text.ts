import type { TextSlice } from "../../protocol/ports.ts";
import { plural } from "../../shared/text.ts";

/** A mentioned file's lines with their numbers, and how to read on. */
export function sliceText(slice: TextSlice, shown: string): string {
  const { firstLine, totalLines, lines } = slice;
  if (totalLines === 0) return `The user mentioned ${shown}. It is empty.`;
  const last = firstLine + lines.length - 1;
  if (lines.length === 0) {
    return `The user mentioned ${shown} from line ${firstLine}, but it has ${plural(totalLines, "line")}.`;
  }
  const part = firstLine === 1 && last === totalLines ? "" : `, lines ${firstLine}-${last}`;
  const numbered = lines.map((line, index) => `${String(firstLine + index).padStart(4)} | ${line}`);
  return [
    `The user mentioned ${shown} (${plural(totalLines, "line")}${part}):`,
    ...numbered,
    ...readOn(slice, last),
  ].join("\n");
}

function readOn(slice: TextSlice, last: number): string[] {
  if (slice.nextChar !== undefined) {
    return [`... (line ${last} goes on: read_file with offset=${last}, start_char=${slice.nextChar})`];
  }
  if (last >= slice.totalLines) return [];
  return [`... (${plural(slice.totalLines - last, "more line")}: read_file with offset=${last + 1})`];
}

/** A mentioned folder's entries, as many as fit. */
export function folderText(entries: readonly string[], more: boolean, shown: string, room: number): string {
  if (entries.length === 0) return `The user mentioned the folder ${shown}. It holds nothing to show.`;
  const lines = [`The user mentioned the folder ${shown}:`];
  let left = room;
  for (const entry of entries) {
    left -= entry.length + 1;
    if (left < 0) break;
    lines.push(entry);
  }
  const whole = !more && lines.length === entries.length + 1;
  return [...lines, ...(whole ? [] : ["... (more: use list_files)"])].join("\n");
}

import { structuredPatch } from "diff";

/** A unified diff without file headers, and its count of lines. */
export type Patch = { patch: string; added: number; removed: number };

const TIMEOUT_MS = 200;
const MAX_CHARS = 2_000_000;
const MAX_PATCH = 200_000;

/** Unified diff with three lines of context; empty when nothing changed or when it would be too long or take too long. */
export function makePatch(before: string, after: string): Patch {
  const none = { patch: "", added: 0, removed: 0 };
  if (before === after || before.length + after.length > MAX_CHARS) return none;
  const found = structuredPatch("", "", before, after, "", "", { context: 3, timeout: TIMEOUT_MS });
  if (!found) return none;
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of found.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines);
    added += hunk.lines.filter((line) => line.startsWith("+")).length;
    removed += hunk.lines.filter((line) => line.startsWith("-")).length;
  }
  const patch = lines.length > 0 ? `${lines.join("\n")}\n` : "";
  return { patch: patch.length > MAX_PATCH ? "" : patch, added, removed };
}

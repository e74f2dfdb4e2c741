import type { Frame } from "../markdown/frame.ts";
import { type Line, span, wrap } from "../text/line.ts";
import type { Style } from "../theme/style.ts";

/** A unified diff as rows with line numbers; file headers are left out, hunks are set apart. */
export function patchLines(patch: string, frame: Frame): Line[] {
  const rows: Line[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const text of patch.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) {
      if (inHunk) rows.push([span("dim", `    ${frame.glyphs.ellipsis}`)]);
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
    } else if (!inHunk) {
      if (!/^(---|\+\+\+|diff |index |=+$|Index:)/.test(text) && text !== "")
        rows.push(...row("", " ", text, "dim", frame));
    } else if (text.startsWith("+")) rows.push(...row(String(after++), "+", text.slice(1), "added", frame));
    else if (text.startsWith("-")) rows.push(...row(String(before++), "-", text.slice(1), "removed", frame));
    else if (text.startsWith("\\")) rows.push(...row("", " ", text.slice(2), "dim", frame));
    else {
      rows.push(...row(String(after++), " ", text.slice(1), "plain", frame));
      before += 1;
    }
  }
  return rows;
}

function row(number: string, sign: string, text: string, style: Style, frame: Frame): Line[] {
  const first = [span("dim", `${number.padStart(6)} `), span(style, `${sign} `)];
  const rest = [span("dim", "       "), span(style, "  ")];
  return wrap([span(style, text)], Math.max(20, frame.width), { first, rest, hard: true });
}

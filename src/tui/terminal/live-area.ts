import { type Line, lineWidth } from "../text/line.ts";
import { textWidth } from "../text/width.ts";
import { paint, type Theme } from "../theme/theme.ts";

/**
 * What the screen should be: `commit` goes into the terminal's own scrollback, `live` stands below it and is
 * redrawn. `caret` is where the cursor belongs in `live`.
 *
 * Between frames the cursor rests on the first live row wherever that is possible (`park`): a terminal that is
 * resized keeps the cursor with its text, whether it breaks lines anew or not, so that the first live row is
 * found again and all below it can be drawn afresh without touching what stands above.
 */
export type Picture = { commit: Line[]; live: Line[]; caret: { row: number; column: number }; park: boolean };

export type LiveArea = {
  /** Bytes that turn what is drawn into the picture; empty when nothing changed. */
  draw(picture: Picture): string;
  /** The window has another size: the next frame draws all live rows anew. */
  resized(columns: number): void;
  /** Bytes that erase the live rows and leave the cursor where they began. */
  erase(): string;
  /** What is on the screen is not ours any more (after a suspension): begins below the cursor. */
  forget(): void;
};

const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
// A live row that is wider than we think must not become two; in the scrollback nothing may be cut.
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";

export function createLiveArea(theme: Theme, reflows: boolean): LiveArea {
  let drawn: Line[] = [];
  let cursor = { row: 0, column: 0 };
  let newColumns: number | null = null;

  const toTop = (): string => {
    let rows = cursor.row;
    if (newColumns !== null && reflows) {
      const columns = newColumns;
      rows = drawn
        .slice(0, cursor.row)
        .reduce((sum, line) => sum + Math.max(1, Math.ceil(lineWidth(line) / columns)), 0);
    }
    return `${rows > 0 ? `\x1b[${rows}A` : ""}\r`;
  };

  return {
    draw({ commit, live, caret, park }) {
      const rest = park ? { row: 0, column: 0 } : caret;
      const fresh = newColumns !== null;
      const same = live.length === drawn.length && live.every((line, row) => sameLine(line, drawn[row]));
      if (commit.length === 0 && same && !fresh) {
        if (rest.row === cursor.row && rest.column === cursor.column) return "";
        const bytes = moveBy(rest.row - cursor.row) + column(rest.column);
        cursor = rest;
        return bytes;
      }
      let out = toTop();
      let old = drawn;
      if (fresh) {
        out += "\x1b[J";
        old = [];
      }
      for (const line of commit) {
        const shorter = lineWidth(old[0] ?? []) > lineWidth(line);
        out += `${paint(line, theme)}${shorter ? "\x1b[K" : ""}\r\n`;
        old = old.slice(1);
      }
      const at = drawRows(old, live, theme);
      out += `${NO_WRAP}${at.bytes}${WRAP}`;
      out += moveBy(rest.row - at.row) + column(rest.column);
      drawn = live;
      cursor = rest;
      newColumns = null;
      return BEGIN + out + END;
    },
    resized(columns) {
      newColumns = columns;
    },
    erase() {
      const bytes = `${toTop()}\x1b[J`;
      drawn = [];
      cursor = { row: 0, column: 0 };
      newColumns = null;
      return bytes;
    },
    forget() {
      drawn = [];
      cursor = { row: 0, column: 0 };
      // As after a resize: what stands below the cursor goes, and all rows are drawn.
      newColumns = 1;
    },
  };
}

/** Draws the live rows over the old ones, from the first row; only what differs. */
function drawRows(old: readonly Line[], live: readonly Line[], theme: Theme): { bytes: string; row: number } {
  let bytes = "";
  let row = 0;
  let there = Math.max(1, old.length);
  const goTo = (target: number): void => {
    bytes += moveBy(target - row);
    there = Math.max(there, target + 1);
    row = target;
  };
  live.forEach((line, index) => {
    const before = old[index];
    if (before && sameLine(line, before)) return;
    if (!before && line.length === 0 && index < there) return;
    goTo(index);
    bytes += `\r${replaceRow(before ?? [], line, theme)}`;
  });
  if (live.length > there) goTo(live.length - 1);
  if (old.length > live.length) {
    goTo(live.length);
    bytes += "\r\x1b[J";
  }
  return { bytes, row };
}

/** Overwrites one row; the cursor is at its beginning. Keeps what both have in front. */
function replaceRow(before: Line, after: Line, theme: Theme): string {
  const common = commonStart(before, after);
  const erase = lineWidth(before) > lineWidth(after) ? "\x1b[K" : "";
  return `${common.width > 0 ? column(common.width) : ""}${paint(common.rest, theme)}${erase}`;
}

/** Cells in which two lines agree, and what of the second follows. */
function commonStart(before: Line, after: Line): { width: number; rest: Line } {
  let width = 0;
  for (let index = 0; index < after.length; index++) {
    const left = before[index];
    const right = after[index];
    if (!right) break;
    if (!left || left.style !== right.style) return { width, rest: after.slice(index) };
    if (left.text === right.text) {
      width += textWidth(right.text);
      continue;
    }
    let same = 0;
    while (same < right.text.length && left.text[same] === right.text[same] && isSimple(right.text, same))
      same += 1;
    // The last common character may be the base of a combining one.
    const kept = Math.max(0, same - 1);
    const rest = [{ style: right.style, text: right.text.slice(kept) }, ...after.slice(index + 1)];
    return { width: width + kept, rest };
  }
  return { width, rest: [] };
}

function isSimple(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code < 0x7f;
}

function sameLine(left: Line, right: Line | undefined): boolean {
  return (
    right !== undefined &&
    left.length === right.length &&
    left.every((part, index) => part.text === right[index]?.text && part.style === right[index]?.style)
  );
}

/**
 * Down by line feeds, which scroll at the last row: a frame on its way while the window shrinks still ends on
 * the row where it began. A movement that stops at the edge would not.
 */
function moveBy(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? "\n".repeat(rows) : `\x1b[${-rows}A`;
}

function column(index: number): string {
  return index === 0 ? "\r" : `\x1b[${index + 1}G`;
}

/** A live area no higher than `rows`: of the part that grows the newest rows are kept, then the end of the rest. */
export function fitRows(growing: Line[], fixed: Line[], rows: number): { live: Line[]; hidden: number } {
  const most = Math.max(1, rows);
  const all = [...growing, ...fixed];
  const hidden = Math.max(0, all.length - most);
  return { live: all.slice(hidden), hidden };
}

import { plural } from "../../shared/text.ts";
import { clusters } from "../text/width.ts";

/** The text being written. `pastes` holds what the chips in it stand for. */
export type Editor = {
  text: string;
  /** UTF-16 offset, never inside a character. */
  cursor: number;
  pastes: readonly { chip: string; text: string }[];
  undo: readonly { text: string; cursor: number }[];
  killed: string;
  /** True while letters are typed in a row: they are one step of undo. */
  typing: boolean;
};

export const EMPTY_EDITOR: Editor = { text: "", cursor: 0, pastes: [], undo: [], killed: "", typing: false };

const MAX_UNDO = 100;
const CHIP_LINES = 10;
const CHIP_CHARACTERS = 1000;

/** The text that is sent: chips replaced by what was pasted. */
export function wholeText({ text, pastes }: Editor): string {
  return text.replace(
    /\[pasted #\d+: \d+ \w+\]/g,
    (chip) => pastes.find((one) => one.chip === chip)?.text ?? chip,
  );
}

/** An editor that holds this text, cursor at its end. */
export function withText(editor: Editor, text: string): Editor {
  const safe = clean(text);
  return { ...remember(editor), text: safe, cursor: safe.length };
}

export function insert(editor: Editor, text: string): Editor {
  const kept = editor.typing ? editor : remember(editor);
  return { ...splice(kept, editor.cursor, editor.cursor, clean(text)), typing: true };
}

/** Inserts a paste: line ends made ours, controls gone; a large one becomes a chip. */
export function paste(editor: Editor, raw: string): Editor {
  const text = clean(raw);
  const lines = text.split("\n").length;
  const before = remember(editor);
  if (lines <= CHIP_LINES && text.length <= CHIP_CHARACTERS)
    return splice(before, editor.cursor, editor.cursor, text);
  const size = lines > 1 ? plural(lines, "line") : plural(text.length, "character");
  const chip = `[pasted #${editor.pastes.length + 1}: ${size}]`;
  return splice(
    { ...before, pastes: [...editor.pastes, { chip, text }] },
    editor.cursor,
    editor.cursor,
    chip,
  );
}

/** Line ends made ours, tabs made blanks, no control character. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "");
}

export type Motion =
  | "left"
  | "right"
  | "word_left"
  | "word_right"
  | "line_start"
  | "line_end"
  | "start"
  | "end";

export function move(editor: Editor, motion: Motion): Editor {
  return { ...editor, cursor: target(editor, motion), typing: false };
}

/** Moves a logical line up or down; null when there is none: then history is meant. */
export function moveLine(editor: Editor, by: 1 | -1): Editor | null {
  const start = editor.text.lastIndexOf("\n", editor.cursor - 1) + 1;
  const column = editor.cursor - start;
  if (by < 0) {
    if (start === 0) return null;
    const previous = editor.text.lastIndexOf("\n", start - 2) + 1;
    return { ...editor, cursor: Math.min(previous + column, start - 1), typing: false };
  }
  const end = editor.text.indexOf("\n", editor.cursor);
  if (end < 0) return null;
  const next = editor.text.indexOf("\n", end + 1);
  return {
    ...editor,
    cursor: Math.min(end + 1 + column, next < 0 ? editor.text.length : next),
    typing: false,
  };
}

/** Deletes from the cursor to where the motion leads; `keep` saves it for `yank`. */
export function erase(editor: Editor, motion: Motion, keep = false): Editor {
  let to = target(editor, motion);
  // At the end of a line, Ctrl-K takes the line break.
  if (motion === "line_end" && to === editor.cursor) to = target(editor, "right");
  const [from, end] = to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to];
  if (from === end) return editor;
  const killed = keep ? editor.text.slice(from, end) : editor.killed;
  return { ...splice(remember(editor), from, end, ""), killed };
}

export function yank(editor: Editor): Editor {
  return editor.killed === ""
    ? editor
    : splice(remember(editor), editor.cursor, editor.cursor, editor.killed);
}

export function undo(editor: Editor): Editor {
  const last = editor.undo.at(-1);
  return last ? { ...editor, ...last, undo: editor.undo.slice(0, -1), typing: false } : editor;
}

/** Replaces a stretch, for completion. */
export function replace(editor: Editor, from: number, to: number, text: string): Editor {
  return splice(remember(editor), from, to, text);
}

function remember(editor: Editor): Editor {
  return {
    ...editor,
    undo: [...editor.undo, { text: editor.text, cursor: editor.cursor }].slice(-MAX_UNDO),
    typing: false,
  };
}

function splice(editor: Editor, from: number, to: number, text: string): Editor {
  return {
    ...editor,
    text: editor.text.slice(0, from) + text + editor.text.slice(to),
    cursor: from + text.length,
    typing: false,
  };
}

function target({ text, cursor, pastes }: Editor, motion: Motion): number {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  switch (motion) {
    case "left": {
      const chip = pastes.find((paste) => before.endsWith(paste.chip));
      return cursor - (chip ? chip.chip.length : (clusters(before.slice(-40)).at(-1)?.length ?? 0));
    }
    case "right": {
      const chip = pastes.find((paste) => after.startsWith(paste.chip));
      return cursor + (chip ? chip.chip.length : (clusters(after.slice(0, 40))[0]?.length ?? 0));
    }
    case "word_left":
      return before.replace(/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u, "").length;
    case "word_right":
      return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(after)?.[0].length ?? 0);
    case "line_start":
      return before.lastIndexOf("\n") + 1;
    case "line_end": {
      const end = after.indexOf("\n");
      return end < 0 ? text.length : cursor + end;
    }
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

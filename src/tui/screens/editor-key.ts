import {
  type Editor,
  erase,
  insert,
  type Motion,
  move,
  moveLine,
  paste,
  undo,
  yank,
} from "../input/editor.ts";
import type { Key } from "../input/keys.ts";
import type { Ui } from "./ui.ts";

/** Editing keys: the ones of every shell. Unknown keys change nothing. */
export function editorKey(ui: Ui, key: Key): Ui {
  const editor = edit(ui.editor, key);
  return editor === ui.editor ? ui : { ...ui, editor, completion: null };
}

function edit(editor: Editor, key: Key): Editor {
  if (key.type === "text") return insert(editor, key.text);
  if (key.type === "paste") return paste(editor, key.text);
  const word = key.ctrl || key.alt;
  switch (key.name) {
    case "newline":
      return insert(editor, "\n");
    case "left":
      return move(editor, word ? "word_left" : "left");
    case "right":
      return move(editor, word ? "word_right" : "right");
    case "home":
      return move(editor, key.ctrl ? "start" : "line_start");
    case "end":
      return move(editor, key.ctrl ? "end" : "line_end");
    case "up":
      return moveLine(editor, -1) ?? editor;
    case "down":
      return moveLine(editor, 1) ?? editor;
    case "backspace":
      return erase(editor, word ? "word_left" : "left", word);
    case "delete":
      return erase(editor, word ? "word_right" : "right", word);
    default:
      return key.ctrl ? control(editor, key.name) : key.alt ? meta(editor, key.name) : editor;
  }
}

const MOVES: Record<string, Motion> = {
  "letter:a": "line_start",
  "letter:e": "line_end",
  "letter:b": "left",
  "letter:f": "right",
};

function control(editor: Editor, name: string): Editor {
  const motion = MOVES[name];
  if (motion) return move(editor, motion);
  switch (name) {
    case "letter:k":
      return erase(editor, "line_end", true);
    case "letter:u":
      return erase(editor, "line_start", true);
    case "letter:w":
      return erase(editor, "word_left", true);
    case "letter:d":
      return erase(editor, "right");
    case "letter:y":
      return yank(editor);
    case "letter:_":
    case "letter:\x7f":
      return undo(editor);
    default:
      return editor;
  }
}

function meta(editor: Editor, name: string): Editor {
  switch (name) {
    case "letter:b":
      return move(editor, "word_left");
    case "letter:f":
      return move(editor, "word_right");
    case "letter:d":
      return erase(editor, "word_right", true);
    default:
      return editor;
  }
}

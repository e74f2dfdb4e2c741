import { moveLine, withText } from "../input/editor.ts";
import type { Key } from "../input/keys.ts";
import type { View } from "../view-state/view.ts";
import type { Handled, Ui } from "./ui.ts";

const done = (ui: Ui): Handled => ({ ui, actions: [] });

/** Up and down beyond the text: waiting prompts first, then earlier prompts; Ctrl-R searches them. */
export function historyKey(ui: Ui, view: View, key: Key): Handled | null {
  if (key.type !== "key") return null;
  if (key.ctrl && key.name === "letter:r")
    return done({ ...ui, search: { query: "", index: ui.history.length } });
  const up = key.name === "up" || (key.ctrl && key.name === "letter:p");
  const down = key.name === "down" || (key.ctrl && key.name === "letter:n");
  if (!up && !down) return null;
  const moved = moveLine(ui.editor, up ? -1 : 1);
  if (moved) return done({ ...ui, editor: moved });
  const waiting = view.queue.at(-1);
  if (up && waiting && ui.editor.text === "" && ui.recalled === null) {
    return { ui, actions: [{ type: "take_back", promptId: waiting.id }] };
  }
  return done(up ? older(ui) : newer(ui));
}

function older(ui: Ui): Ui {
  const index = (ui.recalled?.index ?? ui.history.length) - 1;
  const text = ui.history[index];
  if (text === undefined) return ui;
  return {
    ...ui,
    recalled: { index, draft: ui.recalled?.draft ?? ui.editor.text },
    editor: withText(ui.editor, text),
  };
}

function newer(ui: Ui): Ui {
  if (!ui.recalled) return ui;
  const index = ui.recalled.index + 1;
  const text = ui.history[index];
  if (text === undefined) return { ...ui, recalled: null, editor: withText(ui.editor, ui.recalled.draft) };
  return { ...ui, recalled: { ...ui.recalled, index }, editor: withText(ui.editor, text) };
}

/** Keys of the history search: letters narrow it, Ctrl-R goes on to older ones. */
export function searchKey(ui: Ui, key: Key): Handled | null {
  const { search } = ui;
  if (!search) return null;
  if (key.type === "text") return done(found(ui, search.query + key.text, ui.history.length));
  if (key.type === "paste") return done(ui);
  if (key.ctrl && key.name === "letter:r") return done(found(ui, search.query, search.index));
  if (key.name === "backspace") return done(found(ui, search.query.slice(0, -1), ui.history.length));
  if (key.name === "enter" || key.name === "tab") return done({ ...ui, search: null });
  return done({ ...ui, search: null });
}

function found(ui: Ui, query: string, before: number): Ui {
  const wanted = query.toLowerCase();
  for (let index = Math.min(before, ui.history.length) - 1; index >= 0; index--) {
    const text = ui.history[index] ?? "";
    if (text.toLowerCase().includes(wanted))
      return { ...ui, search: { query, index }, editor: withText(ui.editor, text) };
  }
  return { ...ui, search: { query, index: before }, hint: "nothing older has that" };
}

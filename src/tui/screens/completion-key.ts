import { replace } from "../input/editor.ts";
import type { Key } from "../input/keys.ts";
import type { Handled, Ui } from "./ui.ts";

/** Keys while choices are shown: Tab takes, up and down select, Enter takes what is not written out yet. */
export function completionKey(ui: Ui, key: Key): Handled | null {
  const { completion } = ui;
  if (!completion || key.type !== "key") return null;
  const step = key.name === "up" ? -1 : key.name === "down" ? 1 : 0;
  if (step !== 0) {
    const count = completion.items.length;
    return {
      ui: { ...ui, completion: { ...completion, selected: (completion.selected + step + count) % count } },
      actions: [],
    };
  }
  const item = completion.items[completion.selected];
  if (!item || (key.name !== "tab" && key.name !== "enter")) return null;
  const written = ui.editor.text.slice(completion.from, ui.editor.cursor);
  // What is written out already, or a command in full: Enter sends.
  if (
    key.name === "enter" &&
    (written === item.insert.trimEnd() || (written.startsWith("/") && item.insert.trimEnd() === written))
  )
    return null;
  if (key.name === "enter" && (key.alt || key.shift)) return null;
  const editor = replace(ui.editor, completion.from, ui.editor.cursor, item.insert);
  return { ui: { ...ui, editor, completion: null }, actions: [] };
}

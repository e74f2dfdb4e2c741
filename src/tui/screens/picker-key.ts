import type { Key } from "../input/keys.ts";
import type { Handled, Ui } from "./ui.ts";

/** Keys of the session picker; null for keys that mean the same everywhere. */
export function pickerKey(ui: Ui, picker: NonNullable<Ui["picker"]>, key: Key): Handled {
  const changed = (changes: Partial<NonNullable<Ui["picker"]>>): Ui => ({
    ...ui,
    picker: { ...picker, ...changes },
  });
  const search = (query: string): Handled => ({
    ui: changed({ query, selected: 0 }),
    actions: [{ type: "search_sessions", query }],
  });
  if (key.type === "text") return search(picker.query + key.text);
  if (key.type === "paste") return search(picker.query + key.text.split("\n")[0]);
  const last = picker.sessions.length - 1;
  switch (key.name) {
    case "backspace":
      return search(picker.query.slice(0, -1));
    case "up":
      return { ui: changed({ selected: Math.max(0, picker.selected - 1) }), actions: [] };
    case "down":
      return { ui: changed({ selected: Math.min(last, picker.selected + 1) }), actions: [] };
    case "page_up":
      return { ui: changed({ selected: Math.max(0, picker.selected - 10) }), actions: [] };
    case "page_down":
      return { ui: changed({ selected: Math.min(last, picker.selected + 10) }), actions: [] };
    case "enter": {
      const session = picker.sessions[picker.selected];
      return session
        ? { ui: { ...ui, picker: null }, actions: [{ type: "pick", session }] }
        : { ui, actions: [] };
    }
    default:
      return { ui, actions: [] };
  }
}

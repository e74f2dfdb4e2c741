import type { Editor } from "../input/editor.ts";
import { matchingFiles } from "./project-files.ts";
import { commandCompletions } from "./slash-commands.ts";
import type { Ui } from "./ui.ts";

/** Choices for what stands before the cursor: a command or skill at the beginning, or a file after `@`. */
export function complete(editor: Editor, cwd: string, skills: readonly string[]): Ui["completion"] {
  const before = editor.text.slice(0, editor.cursor);
  const commands = commandCompletions(before, skills);
  if (commands && commands.items.length > 0) return { ...commands, selected: 0 };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!mention) return null;
  const query = mention[1] ?? "";
  const items = matchingFiles(cwd, query).map((path) => ({ insert: `@${path} `, label: path, note: "" }));
  return items.length === 0 ? null : { items, selected: 0, from: before.length - query.length - 1 };
}

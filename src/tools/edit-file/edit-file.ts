import type { EditOutcome } from "../../protocol/ports.ts";
import { defineTool } from "../define.ts";
import { diffDisplay, portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./edit-file.md";

/** Replaces a piece of text in a file. */
export const editFileTool = defineTool({
  name: "edit_file",
  aliases: [
    "edit",
    "str_replace",
    "replace",
    "replace_in_file",
    "search_replace",
    "file_edit",
    "update_file",
  ],
  description,
  parameters: {
    path: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["file_path", "file", "filename", "target_file"],
    },
    old_text: { type: "string", required: true, aliases: ["old_string", "old_str", "old", "search", "find"] },
    new_text: {
      type: "string",
      required: true,
      aliases: ["new_string", "new_str", "new", "replace", "replacement"],
    },
    replace_all: { type: "boolean", aliases: ["all", "global"] },
    expected_matches: {
      type: "integer",
      minimum: 1,
      description: "Fail unless there are so many; replaces all of them",
      aliases: ["expected_replacements", "expected_occurrences"],
    },
  },
  effect: "write",
  parallel: true,
  actions: (input, place) => [{ type: "write_path", path: absolutePath(input.path, place), change: "edit" }],
  async run(input, context) {
    const path = absolutePath(input.path, context.place);
    const edited = await context.files.editText(path, {
      oldText: input.old_text,
      newText: input.new_text,
      replaceAll: input.replace_all ?? false,
      ...(input.expected_matches === undefined ? {} : { expectedMatches: input.expected_matches }),
    });
    if (!edited.ok) return portFailure(edited.error);
    const same = input.old_text === input.new_text ? " Nothing changed: old and new text are the same." : "";
    const text = report(shownPath(path, context.place), edited.value) + same;
    return textOutput(text, diffDisplay(path, edited.value));
  },
});

const MAX_LINES = 20;

function report(name: string, { replaced, matches, line, otherLines }: EditOutcome): string {
  const listed = otherLines.slice(0, MAX_LINES).join(", ") + (otherLines.length > MAX_LINES ? ", ..." : "");
  const others =
    otherLines.length === 0 ? "" : replaced === 1 ? `; others at line ${listed}` : ` and ${listed}`;
  return `Edited ${name}: replaced ${replaced} of ${matches}, line ${line}${others}.`;
}

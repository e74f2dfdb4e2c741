import { plural } from "../../shared/text.ts";
import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./delete-file.md";

/** Deletes a file, a link or a directory. */
export const deleteFileTool = defineTool({
  name: "delete_file",
  aliases: ["delete", "remove", "rm", "remove_file", "file_delete"],
  description,
  parameters: {
    path: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["file_path", "file", "filename", "target_file"],
    },
  },
  effect: "write",
  parallel: false,
  actions: (input, place) => [
    { type: "write_path", path: absolutePath(input.path, place), change: "delete" },
  ],
  async run(input, context) {
    const path = absolutePath(input.path, context.place);
    const removed = await context.files.remove(path);
    if (!removed.ok) return portFailure(removed.error);
    return textOutput(`Deleted ${shownPath(path, context.place)} (${plural(removed.value.files, "file")}).`);
  },
});

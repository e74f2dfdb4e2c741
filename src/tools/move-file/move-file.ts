import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./move-file.md";

/** Moves or renames. */
export const moveFileTool = defineTool({
  name: "move_file",
  aliases: ["move", "rename", "mv", "rename_file", "file_move"],
  description,
  parameters: {
    from: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["source", "src", "path", "old_path", "source_path", "file_path"],
    },
    to: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["destination", "dest", "target", "new_path", "destination_path"],
    },
  },
  effect: "write",
  parallel: false,
  actions: (input, place) => [
    { type: "write_path", path: absolutePath(input.from, place), change: "move" },
    { type: "write_path", path: absolutePath(input.to, place), change: "create" },
  ],
  async run(input, context) {
    const { place, files } = context;
    const moved = await files.move(absolutePath(input.from, place), absolutePath(input.to, place));
    if (!moved.ok) return portFailure(moved.error);
    return textOutput(`Moved ${shownPath(moved.value.from, place)} to ${shownPath(moved.value.to, place)}.`);
  },
});

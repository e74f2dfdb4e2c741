import { relative } from "node:path";
import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { absolutePath } from "../support/paths.ts";
import description from "./list-files.md";

const MAX_DEPTH = 3;
const MAX_ENTRIES = 200;

/** Lists what a directory holds. */
export const listFilesTool = defineTool({
  name: "list_files",
  aliases: ["ls", "list_dir", "list_directory", "list", "read_folder", "view_directory"],
  description,
  parameters: {
    path: {
      type: "string",
      aliases: ["dir", "dir_path", "directory", "folder", "target_directory", "file_path"],
    },
  },
  effect: "read",
  parallel: true,
  actions: (input, place) => [{ type: "read_path", path: absolutePath(input.path ?? ".", place) }],
  async run(input, context) {
    const path = absolutePath(input.path ?? ".", context.place);
    const result = await context.search.list({ path, maxDepth: MAX_DEPTH, maxEntries: MAX_ENTRIES });
    if (!result.ok) return portFailure(result.error);
    const { entries, more } = result.value;
    if (entries.length === 0) return textOutput("(empty directory)");
    const lines = entries.map((entry) => relative(path, entry.path) + (entry.directory ? "/" : ""));
    // On the last entry's line: the result has at most as many lines as entries may be listed.
    const note = more ? `  ... (stopped at ${MAX_ENTRIES} entries; list a directory below)` : "";
    return textOutput(lines.join("\n") + note);
  },
});

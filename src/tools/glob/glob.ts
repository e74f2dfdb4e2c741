import { isAbsolute } from "node:path";
import type { Place } from "../../protocol/tool.ts";
import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./glob.md";

const MAX_FILES = 200;

/** Finds files by name. */
export const globTool = defineTool({
  name: "glob",
  aliases: ["file_search", "find_files", "glob_files", "find", "file_glob"],
  description,
  parameters: {
    pattern: { type: "string", required: true, minLength: 1, aliases: ["glob", "glob_pattern", "query"] },
    path: { type: "string", description: "Directory", aliases: ["dir", "dir_path", "directory", "root"] },
  },
  effect: "read",
  parallel: true,
  actions: (input, place) => [{ type: "read_path", path: split(input.pattern, input.path, place).path }],
  async run(input, context) {
    const { place, search } = context;
    const result = await search.glob({ ...split(input.pattern, input.path, place), maxFiles: MAX_FILES });
    if (!result.ok) return portFailure(result.error);
    const { paths, more } = result.value;
    if (paths.length === 0) return textOutput(`No files match ${input.pattern}.`);
    const note = more ? [`... (stopped at ${MAX_FILES} files; narrow the pattern)`] : [];
    return textOutput([...paths.map((path) => shownPath(path, place)), ...note].join("\n"));
  },
});

/** An absolute pattern, or one with `..`, is a start directory and a pattern below it. */
function split(pattern: string, path: string | undefined, place: Place): { pattern: string; path: string } {
  const parts = pattern.split("/");
  if (!isAbsolute(pattern) && parts[0] !== ".." && parts[0] !== "~") {
    return { pattern, path: absolutePath(path ?? ".", place) };
  }
  const magic = parts.findIndex((part) => /[*?[{(!]/.test(part));
  const fixed = magic === -1 ? parts.length - 1 : magic;
  return {
    path: absolutePath(parts.slice(0, fixed).join("/") || "/", place),
    pattern: parts.slice(fixed).join("/"),
  };
}

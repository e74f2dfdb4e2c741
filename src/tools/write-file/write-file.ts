import type { JsonObject } from "../../protocol/ids.ts";
import { defineTool } from "../define.ts";
import { diffDisplay, portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./write-file.md";

/** Creates, replaces or extends a file. */
export const writeFileTool = defineTool({
  name: "write_file",
  aliases: ["write", "file_write", "create_file", "create", "save_file", "append_file"],
  description,
  parameters: {
    path: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["file_path", "file", "filename", "target_file"],
    },
    content: {
      type: "string",
      required: true,
      aliases: ["file_text", "contents", "text", "new_text", "new_str"],
    },
    append: { type: "boolean", description: "Add at the end" },
  },
  effect: "write",
  parallel: true,
  prepare,
  actions: (input, place) => [
    { type: "write_path", path: absolutePath(input.path, place), change: input.append ? "append" : "create" },
  ],
  async run(input, context) {
    const path = absolutePath(input.path, context.place);
    const name = shownPath(path, context.place);
    const changed = input.append
      ? await context.files.appendText(path, input.content)
      : await context.files.writeText(path, input.content);
    if (!changed.ok) return portFailure(changed.error);
    const size = Buffer.byteLength(input.content);
    const text = changed.value.created
      ? `Created ${name} (${changed.value.bytes} bytes).`
      : input.append
        ? `Appended ${size} bytes to ${name} (now ${changed.value.bytes} bytes).`
        : `Wrote ${name} (${changed.value.bytes} bytes).`;
    return textOutput(text, diffDisplay(path, changed.value));
  },
});

/** `command: "append"` and `mode: "append"` of editor tools. */
function prepare(input: JsonObject): JsonObject {
  const appends = input.command === "append" || input.mode === "append" || input.mode === "a";
  return appends ? { ...input, append: true } : input;
}

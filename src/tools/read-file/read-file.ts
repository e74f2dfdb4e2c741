import type { JsonObject } from "../../protocol/ids.ts";
import type { FileKind, Result } from "../../protocol/ports.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { defineTool } from "../define.ts";
import { errorOutput, portFailure } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import { imageOutput } from "./image-output.ts";
import { notebookOutput } from "./notebook.ts";
import { numberedText } from "./numbered-text.ts";
import description from "./read-file.md";

type Input = { path: string; offset?: number; limit?: number; start_char?: number };

/** Shows a file to the model: numbered text, an image, the cells of a notebook. */
export const readFileTool = defineTool({
  name: "read_file",
  aliases: ["read", "file_read", "view", "view_file", "cat", "open_file", "view_image"],
  description,
  parameters: {
    path: {
      type: "string",
      required: true,
      minLength: 1,
      aliases: ["file_path", "file", "filename", "absolute_path", "target_file"],
    },
    offset: {
      type: "integer",
      minimum: 0,
      description: "First line to show, from 1",
      aliases: ["start_line", "line", "first_line"],
    },
    limit: {
      type: "integer",
      minimum: 1,
      description: "Number of lines",
      aliases: ["lines", "max_lines", "num_lines"],
    },
    start_char: { type: "integer", minimum: 0, description: "Goes on within a line that was cut" },
  },
  effect: "read",
  parallel: true,
  prepare,
  actions: (input, place) => [{ type: "read_path", path: absolutePath(input.path, place) }],
  async run(input: Input, context) {
    const path = absolutePath(input.path, context.place);
    if (!NOTEBOOK.test(path)) {
      // Nearly always it is text: looking first would open the file twice.
      const lines = await readLines(path, shownPath(path, context.place), input, context);
      if (lines.ok) return lines.value;
    }
    const kind = await context.files.kind(path);
    if (!kind.ok) return portFailure(kind.error);
    return show(kind.value, path, input, context);
  },
});

const NOTEBOOK = /\.ipynb$/i;

async function show(kind: FileKind, path: string, input: Input, context: ToolContext): Promise<ToolOutput> {
  const name = shownPath(path, context.place);
  switch (kind.type) {
    case "directory":
      return errorOutput(`Error: ${name} is a directory. Use list_files to see what it holds.`);
    case "text":
      return linesOrFailure(path, name, input, context);
    case "image":
      return imageOutput(await load(path, kind.bytes, context), name, context);
    case "notebook":
      if (input.offset !== undefined || input.limit !== undefined)
        return linesOrFailure(path, name, input, context);
      return notebookOutput(await load(path, kind.bytes, context), name, context.settings.outputLimitChars);
    case "pdf":
      return errorOutput(
        `Error: ${name} is a PDF (${kind.bytes} bytes), which cannot be shown. Get its text with bash: pdftotext -layout '${name}' -`,
      );
    case "binary":
      return errorOutput(`Error: ${name} is not text: ${kind.description}, ${kind.bytes} bytes.`);
  }
}

const MAX_LOADED = 32 * 1024 * 1024;

function load(path: string, bytes: number, context: ToolContext): Promise<Result<Uint8Array>> {
  return context.files.readBytes(path, Math.min(bytes + 1, MAX_LOADED));
}

async function linesOrFailure(
  path: string,
  name: string,
  input: Input,
  context: ToolContext,
): Promise<ToolOutput> {
  const lines = await readLines(path, name, input, context);
  return lines.ok ? lines.value : portFailure(lines.error);
}

async function readLines(
  path: string,
  name: string,
  input: Input,
  context: ToolContext,
): Promise<Result<ToolOutput>> {
  const limit = context.settings.outputLimitChars;
  const slice = await context.files.readText(path, {
    firstLine: Math.max(1, input.offset ?? 1),
    maxChars: limit,
    ...(input.limit === undefined ? {} : { maxLines: input.limit }),
    ...(input.start_char === undefined ? {} : { startChar: input.start_char }),
  });
  if (!slice.ok) return slice;
  return { ok: true, value: numberedText(slice.value, name, input.start_char ?? 0, limit) };
}

/** `view_range: [from, to]` and `end_line` of other agents' tools. */
function prepare(input: JsonObject): JsonObject {
  const { view_range, end_line, ...rest } = input;
  const range = Array.isArray(view_range) ? view_range : [];
  const from = Number(range[0] ?? rest.offset ?? rest.start_line ?? 1);
  const to = Number(range[1] ?? end_line);
  if (range.length === 0 && end_line === undefined) return input;
  const prepared: JsonObject = { ...rest, offset: from };
  if (rest.limit === undefined && to >= from) prepared.limit = to - from + 1;
  return prepared;
}

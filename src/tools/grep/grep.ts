import type { JsonObject } from "../../protocol/ids.ts";
import type { SearchHit } from "../../protocol/ports.ts";
import type { Place } from "../../protocol/tool.ts";
import { defineTool } from "../define.ts";
import { cutMiddle, portFailure, textOutput } from "../support/output.ts";
import { absolutePath, shownPath } from "../support/paths.ts";
import description from "./grep.md";

const DEFAULT_HITS = 50;
const MAX_HITS = 1000;

/** Searches in files. */
export const grepTool = defineTool({
  name: "grep",
  aliases: ["search_code", "search_file_content", "grep_search", "search", "ripgrep", "rg", "search_files"],
  description,
  parameters: {
    pattern: { type: "string", required: true, minLength: 1, aliases: ["query", "regex", "search_term"] },
    path: {
      type: "string",
      description: "File or directory",
      aliases: ["dir", "dir_path", "directory", "root"],
    },
    glob: {
      type: "string",
      description: "Only files like *.ts",
      aliases: ["include", "include_pattern", "file_pattern"],
    },
    literal: { type: "boolean", description: "Pattern is plain text", aliases: ["fixed_strings"] },
    case_sensitive: { type: "boolean" },
    context: {
      type: "integer",
      minimum: 0,
      maximum: 20,
      description: "Lines around",
      aliases: ["context_lines", "C"],
    },
    max_results: { type: "integer", minimum: 1, aliases: ["head_limit", "limit", "max_hits"] },
  },
  effect: "read",
  parallel: true,
  prepare,
  actions: (input, place) => [{ type: "read_path", path: absolutePath(input.path ?? ".", place) }],
  async run(input, context) {
    const { place, search, settings } = context;
    const result = await search.grep({
      pattern: input.pattern,
      path: absolutePath(input.path ?? ".", place),
      literal: input.literal ?? false,
      caseSensitive: input.case_sensitive ?? false,
      maxHits: Math.min(input.max_results ?? DEFAULT_HITS, MAX_HITS),
      ...(input.glob === undefined ? {} : { glob: input.glob }),
      ...(input.context === undefined ? {} : { context: input.context }),
    });
    if (!result.ok) return portFailure(result.error);
    const { hits, more } = result.value;
    if (hits.length === 0) return textOutput(`No matches for ${JSON.stringify(input.pattern)}.`);
    const count = hits.filter((hit) => !hit.context).length;
    const note = more ? [`... (stopped at ${count} matches; narrow the pattern, path or glob)`] : [];
    return textOutput(
      cutMiddle([...hitLines(hits, place), ...note].join("\n"), settings.outputLimitChars).text,
    );
  },
});

/** `path:line: text` for a match, `path-line- text` for a line beside one, `--` where lines are left out. */
function hitLines(hits: SearchHit[], place: Place): string[] {
  const around = hits.some((hit) => hit.context);
  return hits.flatMap(({ path, line, text, context }, index) => {
    const before = hits[index - 1];
    const gap = around && before !== undefined && (before.path !== path || before.line + 1 !== line);
    const mark = context ? "-" : ":";
    return [...(gap ? ["--"] : []), `${shownPath(path, place)}${mark}${line}${mark} ${text}`];
  });
}

/** Flags in the manner of the command: `-i`, `-A`, `-B`. */
function prepare(input: JsonObject): JsonObject {
  const { "-i": ignoreCase, "-A": after, "-B": before, "-C": both, "-n": _numbers, ...rest } = input;
  const prepared: JsonObject = { ...rest };
  const lines = Math.max(
    0,
    ...[after, before, both].map((value) => Number(value ?? 0)).filter(Number.isFinite),
  );
  if (lines > 0 && prepared.context === undefined) prepared.context = Math.min(20, Math.floor(lines));
  if (ignoreCase === false && prepared.case_sensitive === undefined) prepared.case_sensitive = true;
  return prepared;
}

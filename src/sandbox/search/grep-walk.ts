import { readFile, stat } from "node:fs/promises";
import type { Result } from "../../protocol/ports.ts";
import { errorMessage } from "../../shared/error.ts";
import { detectEncoding, looksBinary, textOf, toUnits } from "../files/encoding.ts";
import { fail } from "../files/errors.ts";
import type { GrepQuery, Hits, Sink } from "./hits.ts";
import { MAX_FILE_MIB, type SearchOptions, type Start } from "./options.ts";
import { walk } from "./walk.ts";

/** The search without ripgrep. */
export async function grepByWalk(
  options: SearchOptions,
  start: Start,
  query: GrepQuery,
  sink: Sink,
): Promise<Result<Hits>> {
  const pattern = query.literal ? query.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : query.pattern;
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, query.caseSensitive ? "" : "i");
  } catch (error) {
    return fail("invalid", `The pattern is no valid regular expression: ${errorMessage(error)}`);
  }
  for await (const path of filesFrom(options, start)) {
    if (!sink.wanted(path)) continue;
    const text = await readable(path);
    if (text !== null && !searchText(text, path, expression, query.context ?? 0, sink)) break;
  }
  if (options.signal.aborted) return fail("aborted", "Interrupted.");
  return { ok: true, value: sink.result() };
}

async function* filesFrom(options: SearchOptions, start: Start): AsyncGenerator<string> {
  if (!(await stat(start.real)).isDirectory()) {
    yield start.real;
    return;
  }
  const how = { maxDepth: Number.POSITIVE_INFINITY, hidden: false };
  for await (const entry of walk(options, start, how)) if (!entry.directory) yield entry.path;
}

async function readable(path: string): Promise<string | null> {
  try {
    if ((await stat(path)).size > MAX_FILE_MIB * 1024 * 1024) return null;
    const bytes = await readFile(path);
    const encoding = detectEncoding(bytes);
    if (!encoding || looksBinary(bytes, encoding)) return null;
    return textOf(toUnits(bytes, encoding), encoding);
  } catch {
    // What cannot be read is skipped, as ripgrep does.
    return null;
  }
}

function searchText(text: string, path: string, expression: RegExp, context: number, sink: Sink): boolean {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const matched = lines.map((line) => expression.test(line.endsWith("\r") ? line.slice(0, -1) : line));
  for (const [index, line] of lines.entries()) {
    const near = matched.slice(Math.max(0, index - context), index + context + 1).includes(true);
    if (near && !sink.take(path, index + 1, line, !matched[index])) return false;
  }
  return true;
}

import { readFile, stat } from "node:fs/promises";
import { createContext, Script } from "node:vm";
import type { Result } from "../../protocol/ports.ts";
import { errorCode, errorMessage } from "../../shared/error.ts";
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
  try {
    return await searchAll(options, start, query, expression, sink);
  } catch (error) {
    if (errorCode(error) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return fail("invalid", "The pattern takes too long to match; make it simpler.");
  }
}

async function searchAll(
  options: SearchOptions,
  start: Start,
  query: GrepQuery,
  expression: RegExp,
  sink: Sink,
): Promise<Result<Hits>> {
  const match =
    query.literal || !/[*+{]/.test(query.pattern) ? matcher(expression) : timed(matcher(expression));
  for await (const path of filesFrom(options, start)) {
    if (!sink.wanted(path)) continue;
    const text = await readable(path);
    if (text !== null && !searchText(text, path, match, query.context ?? 0, sink)) break;
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

type Matcher = (lines: string[]) => boolean[];

const matcher =
  (expression: RegExp): Matcher =>
  (lines) =>
    lines.map((line) => expression.test(line.endsWith("\r") ? line.slice(0, -1) : line));

const TIMEOUT_MS = 1000;

/** Bounds the time for one file: an expression with repeats can take for ever, and would block everything. */
function timed(match: Matcher): Matcher {
  const script = new Script("run()");
  return (lines) => {
    const context = createContext({ run: () => match(lines) });
    return script.runInContext(context, { timeout: TIMEOUT_MS }) as boolean[];
  };
}

function searchText(text: string, path: string, match: Matcher, context: number, sink: Sink): boolean {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const matched = match(lines);
  for (const [index, line] of lines.entries()) {
    const near = matched.slice(Math.max(0, index - context), index + context + 1).includes(true);
    if (near && !sink.take(path, index + 1, line, !matched[index])) return false;
  }
  return true;
}

import type { Result } from "../../protocol/ports.ts";
import { fail } from "../files/errors.ts";
import { grepByWalk } from "./grep-walk.ts";
import { createSink, type GrepQuery, type Hits } from "./hits.ts";
import { type SearchOptions, startAt } from "./options.ts";
import { runRipgrep } from "./ripgrep.ts";

/** Searches file contents; hits in the order of paths and lines, at most `maxHits` matches. */
export async function grep(options: SearchOptions, query: GrepQuery): Promise<Result<Hits>> {
  const start = await startAt(options, query.path);
  if (!start.ok) return start;
  const sink = createSink(options, start.value, query);
  const end = await runRipgrep(options, start.value, grepArgs(query), "\n", (line) => sink.takeLine(line));
  if (options.signal.aborted) return fail("aborted", "Interrupted.");
  if (end.type === "missing") return grepByWalk(options, start.value, query, sink);
  if (end.type === "exit" && end.code === 2 && sink.result().hits.length === 0) {
    return fail("invalid", `The pattern is no valid regular expression: ${end.stderr.trim()}`);
  }
  return { ok: true, value: sink.result() };
}

function grepArgs(query: GrepQuery): string[] {
  return [
    "--null",
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--max-columns=4000",
    "--max-columns-preview",
    "--engine=auto",
    query.caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(query.literal ? ["--fixed-strings"] : []),
    ...(query.context ? [`--context=${query.context}`] : []),
    `--regexp=${query.pattern}`,
  ];
}

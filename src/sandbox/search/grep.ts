import { basename, join, relative } from "node:path";
import picomatch from "picomatch";
import type { Result, SearchHit, SearchPort } from "../../protocol/ports.ts";
import { sliceWhole } from "../../shared/text.ts";
import { fail } from "../files/errors.ts";
import { grepByWalk } from "./grep-walk.ts";
import { MAX_HIT_CHARS, mayShow, type SearchOptions, type Start, startAt } from "./options.ts";
import { runRipgrep } from "./ripgrep.ts";

export type GrepQuery = Parameters<SearchPort["grep"]>[0];
export type Hits = { hits: SearchHit[]; more: boolean };

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

/** Collects hits up to the limit; both searches feed it, so both give the same result. */
export type Sink = {
  /** One line of ripgrep's output (`path NUL line: text`); false when enough is there. */
  takeLine(line: string): boolean;
  /** One hit by its real path; false when enough is there. */
  take(realPath: string, line: number, text: string, context: boolean): boolean;
  /** Whether hits of this file count. */
  wanted(realPath: string): boolean;
  result(): Hits;
};

function createSink(options: SearchOptions, start: Start, query: GrepQuery): Sink {
  const hits: SearchHit[] = [];
  let matches = 0;
  let more = false;
  const fits = globTest(query.glob);
  const known = new Map<string, boolean>();
  const wanted = (path: string): boolean => {
    let verdict = known.get(path);
    if (verdict === undefined) {
      verdict = fits(relative(start.real, path) || basename(path)) && mayShow(options, path);
      known.set(path, verdict);
    }
    return verdict;
  };
  const take: Sink["take"] = (path, line, text, context) => {
    if (!wanted(path)) return true;
    if (!context && matches >= query.maxHits) {
      more = true;
      return false;
    }
    if (!context) matches += 1;
    const shown = text.endsWith("\r") ? text.slice(0, -1) : text;
    hits.push({
      path: join(start.asked, relative(start.real, path)),
      line,
      text: shown.length > MAX_HIT_CHARS ? `${sliceWhole(shown, 0, MAX_HIT_CHARS)}...` : shown,
      ...(context ? { context: true } : {}),
    });
    return true;
  };
  return {
    take,
    wanted,
    takeLine(line) {
      const nul = line.indexOf("\0");
      const parts = nul === -1 ? null : /^(\d+)([:-])/.exec(line.slice(nul + 1, nul + 20));
      if (!parts) return true;
      const text = line.slice(nul + 1 + parts[0].length);
      return take(line.slice(0, nul), Number(parts[1]), text, parts[2] === "-");
    },
    result: () => ({ hits, more }),
  };
}

/** Tests a path below the start against a glob; one without a slash is for the name at any depth. */
export function globTest(glob: string | undefined): (below: string) => boolean {
  if (glob === undefined || glob === "") return () => true;
  const pattern = glob.replace(/^\.?\//, "");
  const test = picomatch(pattern, { dot: true, nocase: false });
  return pattern.includes("/") ? test : (below) => test(basename(below));
}

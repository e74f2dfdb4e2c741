import { basename, join, relative } from "node:path";
import picomatch from "picomatch";
import type { SearchHit, SearchPort } from "../../protocol/ports.ts";
import { sliceWhole } from "../../shared/text.ts";
import { MAX_HIT_CHARS, mayShow, type SearchOptions, type Start } from "./options.ts";

export type GrepQuery = Parameters<SearchPort["grep"]>[0];
export type Hits = { hits: SearchHit[]; more: boolean };

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

/** Collects what a query wants. */
export function createSink(options: SearchOptions, start: Start, query: GrepQuery): Sink {
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

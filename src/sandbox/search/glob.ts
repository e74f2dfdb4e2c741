import { join, relative } from "node:path";
import type { Result, SearchPort } from "../../protocol/ports.ts";
import { fail } from "../files/errors.ts";
import { globTest } from "./hits.ts";
import { mayShow, type SearchOptions, type Start, startAt } from "./options.ts";
import { runRipgrep } from "./ripgrep.ts";
import { walk } from "./walk.ts";

type GlobQuery = Parameters<SearchPort["glob"]>[0];

/** Files whose path below the start fits a glob, in the order of paths. */
export async function glob(
  options: SearchOptions,
  query: GlobQuery,
): Promise<Result<{ paths: string[]; more: boolean }>> {
  const start = await startAt(options, query.path);
  if (!start.ok) return start;
  const fits = globTest(query.pattern);
  const paths: string[] = [];
  let more = false;
  const take = (path: string): boolean => {
    const below = relative(start.value.real, path);
    if (!fits(below) || !mayShow(options, path)) return true;
    more = paths.length >= query.maxFiles;
    if (!more) paths.push(join(start.value.asked, below));
    return !more;
  };
  // Names with a dot are looked at only when the pattern speaks of one.
  const hidden = /(^|\/)\.[^/.]/.test(query.pattern);
  const args = ["--files", "--null", ...(hidden ? ["--hidden"] : [])];
  const end = await runRipgrep(options, start.value, args, "\0", take);
  if (end.type === "missing") await takeByWalk(options, start.value, hidden, take);
  if (options.signal.aborted) return fail("aborted", "Interrupted.");
  return { ok: true, value: { paths, more } };
}

async function takeByWalk(
  options: SearchOptions,
  start: Start,
  hidden: boolean,
  take: (path: string) => boolean,
): Promise<void> {
  for await (const entry of walk(options, start, { maxDepth: Number.POSITIVE_INFINITY, hidden })) {
    if (!entry.directory && !take(entry.path)) return;
  }
}

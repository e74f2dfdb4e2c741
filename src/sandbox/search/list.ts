import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Result, SearchPort } from "../../protocol/ports.ts";
import { fail, failFrom } from "../files/errors.ts";
import { type SearchOptions, startAt } from "./options.ts";
import { walk } from "./walk.ts";

type ListQuery = Parameters<SearchPort["list"]>[0];
type Listing = { entries: { path: string; directory: boolean }[]; more: boolean };

/** What a directory holds, down to `maxDepth`, in the order of names. */
export async function list(options: SearchOptions, query: ListQuery): Promise<Result<Listing>> {
  const start = await startAt(options, query.path);
  if (!start.ok) return start;
  const { real, asked } = start.value;
  try {
    if (!(await stat(real)).isDirectory()) return fail("not_a_directory", `Not a directory: ${query.path}`);
  } catch (error) {
    return failFrom(error, query.path);
  }
  const entries: Listing["entries"] = [];
  for await (const entry of walk(options, start.value, { maxDepth: query.maxDepth, hidden: false })) {
    if (entries.length >= query.maxEntries) return { ok: true, value: { entries, more: true } };
    entries.push({ path: join(asked, relative(real, entry.path)), directory: entry.directory });
  }
  if (options.signal.aborted) return fail("aborted", "Interrupted.");
  return { ok: true, value: { entries, more: false } };
}

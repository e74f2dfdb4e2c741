import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type IgnoreRules, isIgnored, rulesAbove, withRulesOf } from "./ignore-rules.ts";
import { mayShow, type SearchOptions, SKIPPED, type Start } from "./options.ts";

export type Entry = { path: string; directory: boolean; depth: number };

/**
 * Everything below a directory in the order of names, depth first: without links, what ignore files or the
 * fixed list exclude, secrets, and (unless `hidden`) names with a dot. `maxDepth` 1 = its direct entries.
 */
export async function* walk(
  options: SearchOptions,
  start: Start,
  how: { maxDepth: number; hidden: boolean },
): AsyncGenerator<Entry> {
  yield* below(options, start.real, await rulesAbove(start.root, start.real), 1, how);
}

async function* below(
  options: SearchOptions,
  directory: string,
  outer: IgnoreRules,
  depth: number,
  how: { maxDepth: number; hidden: boolean },
): AsyncGenerator<Entry> {
  const rules = await withRulesOf(outer, directory);
  // What cannot be listed is skipped, as ripgrep does.
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (options.signal.aborted) return;
    const path = join(directory, entry.name);
    const isDirectory = entry.isDirectory();
    if (!isDirectory && !entry.isFile()) continue;
    if (SKIPPED.includes(entry.name) || (!how.hidden && entry.name.startsWith("."))) continue;
    if (isIgnored(rules, path, isDirectory) || !mayShow(options, path)) continue;
    yield { path, directory: isDirectory, depth };
    if (isDirectory && depth < how.maxDepth) yield* below(options, path, rules, depth + 1, how);
  }
}

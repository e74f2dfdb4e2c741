import { readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { NESTED_IGNORES, ROOT_IGNORES } from "./options.ts";

/** Ignore rules in force in a directory: each set with the directory it is relative to, inner ones last. */
export type IgnoreRules = readonly { base: string; rules: Ignore }[];

const MAX_BYTES = 1_000_000;

/**
 * The rules that reach `start` from above: of every directory up to the top of its repository, and the
 * root-level files of `root`. None when they would hide `start` itself: who names it means it.
 */
export async function rulesAbove(root: string, start: string): Promise<IgnoreRules> {
  const levels: string[] = [];
  for (let at = start; !(await isRepository(at)) && dirname(at) !== at; ) {
    at = dirname(at);
    levels.unshift(at);
  }
  let found: IgnoreRules = await load(root, ROOT_IGNORES);
  for (const level of levels) found = await withRulesOf(found, level);
  return isIgnored(found, start, true) ? [] : found;
}

async function isRepository(directory: string): Promise<boolean> {
  return stat(join(directory, ".git")).then(
    () => true,
    () => false,
  );
}

/** Adds the rules that stand in a directory. */
export async function withRulesOf(outer: IgnoreRules, directory: string): Promise<IgnoreRules> {
  const own = await load(directory, NESTED_IGNORES);
  return own.length === 0 ? outer : [...outer, ...own];
}

/** Whether an entry is ignored; the innermost rule that says anything decides. */
export function isIgnored(found: IgnoreRules, path: string, directory: boolean): boolean {
  for (const { base, rules } of found.toReversed()) {
    const below = relative(base, path);
    if (below === "" || below.startsWith("..")) continue;
    const verdict = rules.test(directory ? `${below}/` : below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

async function load(directory: string, names: readonly string[]): Promise<IgnoreRules> {
  const found: { base: string; rules: Ignore }[] = [];
  for (const name of names) {
    const text = await readFile(join(directory, name), "utf8").catch(() => null);
    if (text !== null && text.length <= MAX_BYTES) found.push({ base: directory, rules: ignore().add(text) });
  }
  return found;
}

import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { isInertSetting } from "../git/inert-config.ts";
import { listConfig } from "../git/run-git.ts";
import type { Quarantine } from "./quarantine.ts";

export type ConfigChange = {
  path: string;
  /** What was in the file before; `null`: there was none. */
  was: Buffer | null;
  /** Where `core.worktree` may point. */
  areas: readonly string[];
  quarantine: Quarantine;
  git: string | null;
};

/**
 * Looks at a configuration that a command was allowed to write. Settings that were there before and settings that
 * can start nothing stay; with anything else in it the file becomes what it was. True when that happened.
 */
export async function undoUnsafeConfig(change: ConfigChange): Promise<boolean> {
  const { path, was, quarantine } = change;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && (await isSafe(change))) return false;
  if (!found && was === null) return false;
  quarantine.take(path);
  if (was !== null) writeFileSync(path, was, { flag: "wx", mode: 0o644 });
  return true;
}

async function isSafe({ path, was, areas, git, quarantine }: ConfigChange): Promise<boolean> {
  const now = readFileSync(path);
  if (was !== null && now.equals(was)) return true;
  if (git === null) return false;
  const entries = await listConfig(git, path);
  if (entries === null) return false;
  const before = was === null ? [] : await quarantine.withCopy(was, (copy) => listConfig(git, copy));
  if (before === null) return false;
  const known = new Set(before.map((entry) => JSON.stringify(entry)));
  return entries.every(
    ([key, value]) => known.has(JSON.stringify([key, value])) || isInertSetting(key, value, path, areas),
  );
}

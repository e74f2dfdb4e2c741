import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInertSetting, writeConfig } from "../git/inert-config.ts";
import { listConfig } from "../git/run-git.ts";
import type { Quarantine } from "./quarantine.ts";

export type DisarmOptions = {
  /** Where `core.worktree` may point. */
  areas: readonly string[];
  quarantine: Quarantine;
  git: string | null;
};

/**
 * Takes from a new repository what git would execute: settings that are not known to be inert, and hooks. It
 * stays a working repository. Gives the paths that were taken away or changed.
 */
export async function disarmRepository(directory: string, options: DisarmOptions): Promise<string[]> {
  const taken: string[] = [];
  for (const name of ["config", "config.worktree"]) {
    const file = join(directory, name);
    if (await disarmConfig(file, options)) taken.push(file);
  }
  for (const hook of activeHooks(join(directory, "hooks"))) {
    if (options.quarantine.take(hook) !== null) taken.push(hook);
  }
  return taken;
}

/** Leaves only inert settings in a config file; true when something had to go. */
async function disarmConfig(file: string, options: DisarmOptions): Promise<boolean> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return false;
  const entries = found.isFile() && options.git !== null ? await listConfig(options.git, file) : null;
  const inert = entries?.filter(([key, value]) => isInertSetting(key, value, file, options.areas));
  if (entries !== null && inert?.length === entries.length) return false;
  options.quarantine.take(file);
  // Without a config, or with one that git cannot read, the repository counts as one of the oldest format.
  writeFileSync(file, writeConfig(inert ?? []), { flag: "wx", mode: 0o644 });
  return true;
}

/** Hooks that git could run: everything but its samples; the folder itself when it is a link. */
function activeHooks(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return found.isSymbolicLink() ? [folder] : [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".sample"))
    .map((name) => join(folder, name));
}

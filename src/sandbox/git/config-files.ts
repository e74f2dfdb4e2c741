import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { listConfig } from "./run-git.ts";

/** What one config file brings in. Paths are absolute, not resolved. */
type Brought = { includes: string[]; hookFolders: string[]; excludes: string | null };

/** Where paths in a config file are relative to. */
export type ConfigPlace = {
  home: string /** The work tree, or the git directory of a bare repository. */;
  top: string;
};

/**
 * All files that a config file includes, in any depth and whatever the condition, the hook folders it names, and
 * the user's ignore file, if it names one.
 */
export type ConfigFiles = { files: string[]; hookFolders: string[]; excludes: string | null };

/** Asks git what config files bring in; answers are kept until a file changes. */
export type ConfigReader = { read(file: string, place: ConfigPlace): Promise<ConfigFiles> };

const MAX_FILES = 100;

export function createConfigReader(git: string | null): ConfigReader {
  const cache = new Map<string, { stamp: string; entries: Promise<[string, string][]> }>();

  const entriesOf = (file: string): Promise<[string, string][]> => {
    const stamp = stampOf(file);
    if (stamp === null) return Promise.resolve([]);
    const known = cache.get(file);
    if (known?.stamp === stamp) return known.entries;
    const entries = ask(git, file);
    cache.set(file, { stamp, entries });
    return entries;
  };

  return {
    async read(file, place) {
      const files: string[] = [];
      const hookFolders: string[] = [];
      let excludes: string | null = null;
      const queue = [file];
      for (let at = 0; at < queue.length && at < MAX_FILES; at++) {
        const current = queue[at] ?? file;
        if (at > 0) files.push(current);
        const brought = interpret(await entriesOf(current), current, place);
        hookFolders.push(...brought.hookFolders);
        excludes = brought.excludes ?? excludes;
        for (const include of brought.includes) if (!queue.includes(include)) queue.push(include);
      }
      return { files, hookFolders, excludes };
    },
  };
}

/** The settings that matter. A file without the words is not worth a process: git keys cannot be escaped. */
async function ask(git: string | null, file: string): Promise<[string, string][]> {
  let text: string;
  try {
    text = readFileSync(file, "latin1");
  } catch {
    return [];
  }
  if (git === null || !/include|hookspath|excludesfile/i.test(text)) return [];
  const entries = await listConfig(git, file);
  return (entries ?? []).filter(([key]) =>
    /^(include\.path|includeif\..*\.path|core\.hookspath|core\.excludesfile)$/is.test(key),
  );
}

function interpret(entries: readonly [string, string][], file: string, place: ConfigPlace): Brought {
  const includes: string[] = [];
  const hookFolders: string[] = [];
  let excludes: string | null = null;
  for (const [key, value] of entries) {
    const path = value.startsWith("~/") ? join(place.home, value.slice(2)) : value;
    if (path === "") continue;
    const name = key.toLowerCase();
    if (name === "core.hookspath") hookFolders.push(resolve(place.top, path));
    else if (name === "core.excludesfile") excludes = resolve(place.top, path);
    else includes.push(isAbsolute(path) ? path : resolve(dirname(file), path));
  }
  return { includes, hookFolders, excludes };
}

function stampOf(file: string): string | null {
  const link = lstatSync(file, { throwIfNoEntry: false });
  const target = statSync(file, { throwIfNoEntry: false });
  if (!link || !target) return null;
  return `${link.ino}:${link.ctimeMs}:${target.ino}:${target.ctimeMs}:${target.size}`;
}

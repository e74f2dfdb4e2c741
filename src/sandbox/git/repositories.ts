import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Find } from "../tree/tree-index.ts";

/** One git directory. For a linked work tree, `common` is the one that holds config and hooks. */
export type Repository = {
  /** Resolved. */
  directory: string;
  /** Resolved; the same as `directory` but for linked work trees. */
  common: string;
  /** The work tree, or the directory itself when there is none. */
  top: string;
};

/** A `.git` file or link, and the git directory it leads to (`null`: nowhere). */
export type GitPointer = { path: string; kind: "file" | "link"; target: string | null };

export type GitFinds = { repositories: Repository[]; pointers: GitPointer[] };

const MAX_NESTED = 500;

/** The repositories that a walk found: `.git` in every form, bare ones, and those in `modules` and `worktrees`. */
export function repositoriesIn(finds: readonly Find[]): GitFinds {
  const repositories = new Map<string, Repository>();
  const pointers: GitPointer[] = [];
  const add = (directory: string, top: string): void => {
    const real = realOrNull(directory);
    if (real === null || repositories.has(real) || !isDirectory(real)) return;
    repositories.set(real, { directory: real, common: commonOf(real), top });
    for (const nested of nestedIn(real)) add(nested, nested);
  };
  for (const find of finds) {
    if (find.kind === "repository") add(find.path, find.path);
    if (find.kind !== "git") continue;
    const pointer = pointerAt(find.path);
    if (pointer !== null) pointers.push(pointer);
    const directory = pointer === null ? find.path : pointer.target;
    if (directory !== null) add(directory, dirname(find.path));
  }
  return { repositories: [...repositories.values()], pointers };
}

/** What a `.git` file or link points to; `null` for a directory or nothing. */
export function pointerAt(path: string): GitPointer | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  if (found.isSymbolicLink()) {
    const real = realOrNull(path);
    if (real !== null && isDirectory(real)) return { path, kind: "link", target: real };
    return { path, kind: "link", target: real === null ? null : namedIn(real) };
  }
  return found.isFile() ? { path, kind: "file", target: namedIn(path) } : null;
}

/** The directory that a `gitdir: PATH` file names, resolved where it exists. */
function namedIn(file: string): string | null {
  const match = /^gitdir: ([^\n\r]+)/.exec(headOf(file));
  const path = match?.[1]?.trim();
  if (!path) return null;
  const target = resolve(dirname(file), path);
  return realOrNull(target) ?? target;
}

/** The git directory that holds config and hooks of this one. */
export function commonOf(directory: string): string {
  const named = headOf(join(directory, "commondir")).trim();
  if (named === "") return directory;
  const target = resolve(directory, named);
  return realOrNull(target) ?? target;
}

/** Git directories inside a git directory: submodules (in any depth) and linked work trees. */
function nestedIn(directory: string): string[] {
  const found = namesIn(join(directory, "worktrees")).map((name) => join(directory, "worktrees", name));
  const queue = [join(directory, "modules")];
  for (let at = 0; at < queue.length && at < MAX_NESTED; at++) {
    const folder = queue[at] ?? "";
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      if (lstatSync(join(path, "HEAD"), { throwIfNoEntry: false })) found.push(path);
      else queue.push(path);
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

const MAX_POINTER = 8192;

function headOf(file: string): string {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= MAX_POINTER ? readFileSync(file, "utf8") : "";
  } catch {
    return "";
  }
}

export function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

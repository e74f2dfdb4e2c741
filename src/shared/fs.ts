import { realpathSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { errorCode } from "./error.ts";

/** True when `path` is `parent` or lies below it; by component, both absolute. */
export function isWithin(parent: string, path: string): boolean {
  if (path === parent || parent === sep) return true;
  return path.startsWith(parent.endsWith(sep) ? parent : parent + sep);
}

const MAX_LINKS = 40;

/**
 * Where a path leads, all links followed, also when its last parts do not exist yet: the deepest existing
 * parent is resolved and the rest appended; a dangling link leads to its target. Rejects with the Node error
 * of anything but a missing part (`ELOOP`, `EACCES`, `ENOTDIR`).
 */
export async function realPathOf(path: string, links = 0): Promise<string> {
  try {
    // Some look-ups in the kernel's cache cost far less than the way to a worker thread and back, and every
    // tool call needs several of these.
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const target = await danglingTarget(path);
  if (target !== null) {
    if (links >= MAX_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: "ELOOP" });
    return realPathOf(resolve(await realPathOf(dirname(path), links + 1), target), links + 1);
  }
  const parent = dirname(path);
  return parent === path ? path : join(await realPathOf(parent, links), basename(path));
}

async function danglingTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

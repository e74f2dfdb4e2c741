import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../shared/fs.ts";
import { realOrNull } from "../git/repositories.ts";

/**
 * Sockets of the host that have a path, as the kernel lists them; programs inside could connect to them.
 * `covered` are the places that commands do not see, but for the `shown` ones inside them; `granted` may be used.
 */
export function hostSockets(
  covered: readonly string[],
  shown: readonly string[],
  granted: readonly string[],
): string[] {
  const isWithinAny = (folders: readonly string[], path: string): boolean =>
    folders.some((folder) => isWithin(folder, path));
  const found = new Set<string>();
  for (const path of listedSockets()) {
    if ((isWithinAny(covered, path) && !isWithinAny(shown, path)) || granted.includes(path)) continue;
    const real = realOrNull(path);
    if (real === null || granted.includes(real)) continue;
    if (lstatSync(real, { throwIfNoEntry: false })?.isSocket() && isReachable(real)) found.add(real);
  }
  return [...found];
}

/**
 * Whether a process of our user without capabilities could get to the path. Commands have none, and neither has
 * whoever builds their mounts over folders of other users: what the mode bits close needs no cover, and covering
 * it would fail.
 */
export function isReachable(path: string): boolean {
  const uid = process.getuid?.();
  const groups = process.getgroups?.() ?? [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!stat) return false;
    const bit = stat.uid === uid ? 0o100 : groups.includes(stat.gid) ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return false;
    if (folder === "/") return true;
  }
}

function listedSockets(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  const paths = text.split("\n").map((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}

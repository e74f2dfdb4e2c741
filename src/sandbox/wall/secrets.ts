import { lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import { realOrNull } from "../git/repositories.ts";
import { anchorPattern, globExpression } from "../policy/pattern.ts";
import { secretPattern } from "../policy.ts";
import { otherNames } from "./protect.ts";
import type { Wall } from "./wall.ts";

/** Files that tools insist on reading; they are empty instead of closed. */
const EMPTIED = new Set([".npmrc", ".yarnrc", ".yarnrc.yml"]);

/** Hides every secret that exists: those a walk of the roots found, and those the patterns name elsewhere. */
export async function hideSecrets(
  wall: Wall,
  policy: SandboxPolicy,
  found: readonly string[],
): Promise<void> {
  for (const path of new Set([...found, ...namedSecrets(policy)])) {
    if (secretPattern(policy, path) === null) continue;
    await hide(wall, policy, path);
  }
  for (const path of policy.allowRead) {
    const hidden = [...wall.hiddenDirectories].some((folder) => isWithin(folder, path));
    if (hidden && path.startsWith("/") && lstatSync(path, { throwIfNoEntry: false })) wall.revealed.add(path);
  }
}

/** Hides a path where it really lies, and a file under its other names too. */
async function hide(wall: Wall, policy: SandboxPolicy, path: string): Promise<void> {
  const real = realOrNull(path);
  const stats = real === null ? undefined : lstatSync(real, { throwIfNoEntry: false });
  if (real === null || !stats) return;
  if (stats.isDirectory()) {
    // A folder that holds a root cannot go; what the policy says of its parts still counts.
    if (!policy.writableRoots.includes(real)) wall.hiddenDirectories.add(real);
    return;
  }
  hideFile(wall, real);
  if (stats.isFile() && stats.nlink > 1) {
    for (const other of await otherNames(searched(policy, stats, real), stats.ino, real))
      hideFile(wall, other);
  }
}

function hideFile(wall: Wall, path: string): void {
  (EMPTIED.has(basename(path)) ? wall.emptiedFiles : wall.hiddenFiles).add(path);
}

function searched(policy: SandboxPolicy, _stats: Stats, path: string): string[] {
  return [...new Set([...policy.writableRoots, ...policy.readableRoots, dirname(path)])];
}

/** Paths that exist and that a pattern could name outside the walk: in the home, and where it is absolute. */
function namedSecrets(policy: SandboxPolicy): string[] {
  const place = { roots: policy.writableRoots, home: policy.home };
  const walked = [...policy.writableRoots];
  const paths: string[] = [];
  for (const pattern of policy.denyRead) {
    if (pattern.startsWith("!")) continue;
    for (const { base, rest } of anchorPattern(pattern, place)) {
      if (rest.startsWith("**/")) {
        // Anywhere: the walk knows the roots; the home and the other folders are looked at on their top level.
        if (base !== "/") continue;
        for (const folder of [policy.home, ...policy.readableRoots]) {
          paths.push(...expand(folder, rest.slice(3), walked));
        }
      } else paths.push(...expand(base, rest, walked));
    }
  }
  return paths;
}

const MAX_FOLDERS = 5000;

/** Existing paths below `base` that a glob names. Folders that are walked anyway are not entered for `**`. */
function expand(base: string, glob: string, walked: readonly string[]): string[] {
  const parts = glob.split("/").filter((part) => part !== "");
  let level = [base];
  for (const [index, part] of parts.entries()) {
    if (part === "**") level = level.flatMap((folder) => foldersBelow(folder, walked));
    else if (/[*?[]/.test(part)) level = level.flatMap((folder) => matching(folder, part));
    else {
      level = level.map((folder) => join(folder, part));
      const last = index === parts.length - 1;
      if (last || level.length > 1)
        level = level.filter((path) => lstatSync(path, { throwIfNoEntry: false }));
    }
  }
  return parts.length === 0 ? [] : level;
}

function matching(folder: string, part: string): string[] {
  const expression = globExpression(part);
  return namesIn(folder)
    .filter((name) => expression.test(name))
    .map((name) => join(folder, name));
}

function foldersBelow(folder: string, walked: readonly string[]): string[] {
  const found = [folder];
  for (let at = 0; at < found.length && found.length < MAX_FOLDERS; at++) {
    const current = found[at] ?? folder;
    if (walked.includes(current)) continue;
    try {
      for (const entry of readdirSync(current, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name !== "node_modules") found.push(join(current, entry.name));
      }
    } catch {
      // Not readable: nothing to hide there.
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

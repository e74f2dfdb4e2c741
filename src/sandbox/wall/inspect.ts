import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import { type GitFinds, repositoriesIn } from "../git/repositories.ts";
import { protectedName } from "../policy.ts";
import type { TreeLook } from "../tree/tree-index.ts";
import type { Baseline } from "./baseline.ts";
import { watchedNames } from "./build-wall.ts";
import { undoUnsafeConfig } from "./compare-config.ts";
import { disarmRepository } from "./disarm.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Wall } from "./wall.ts";

export type Inspection = {
  policy: SandboxPolicy;
  baseline: Baseline;
  wall: Wall;
  git: string | null;
  quarantine: Quarantine;
};

/**
 * Looks at what commands left in the roots and takes away what would run later as the user: settings and hooks
 * of new repositories, pointers that lead out, protected names that were not there. Build products stay.
 * Called only while nothing runs in these roots. Gives the paths that were taken.
 */
export async function inspectAfter(tree: TreeLook, inspection: Inspection): Promise<string[]> {
  const { policy, baseline, wall, quarantine } = inspection;
  const areas = [...policy.writableRoots, ...wall.writable];
  const taken: string[] = [];
  const take = (path: string): void => {
    if (quarantine.take(path) !== null) taken.push(path);
  };
  const found = withGranted(repositoriesIn(tree.finds), wall);
  for (const pointer of found.pointers) {
    if (baseline.pointers.has(pointer.path)) continue;
    const inside = pointer.target !== null && areas.some((area) => isWithin(area, pointer.target ?? ""));
    if (!inside) take(pointer.path);
  }
  const trusted = new Set([
    ...baseline.repositories.keys(),
    ...found.repositories.filter((one) => one.common === one.directory).map((one) => one.directory),
  ]);
  for (const repository of found.repositories) {
    const { directory, common } = repository;
    if (!areas.some((area) => isWithin(area, directory))) continue;
    const before = baseline.repositories.get(directory);
    if (common !== (before ?? common) || (before === undefined && !trusted.has(common))) {
      take(`${directory}/commondir`);
    }
    if (before === undefined) {
      taken.push(...(await disarmRepository(directory, { areas, quarantine, git: inspection.git })));
    }
  }
  for (const path of newProtected(tree, inspection)) take(path);
  for (const [path, was] of wall.compared) {
    const change = { path, was, areas, quarantine, git: inspection.git };
    if (await undoUnsafeConfig(change)) taken.push(path);
  }
  for (const [path, target] of wall.links) restoreLink(path, target, take);
  return [...new Set(taken)];
}

/** Repositories outside the roots that commands could write to as well. */
function withGranted(found: GitFinds, wall: Wall): GitFinds {
  const granted = repositoriesIn([...wall.writable].map((path) => ({ kind: "repository", path })));
  return { pointers: found.pointers, repositories: [...found.repositories, ...granted.repositories] };
}

/**
 * Protected names that came into being. In a folder that is new itself they belong to what was made there (a
 * clone, a template): whoever opens that folder is asked whether to trust it.
 */
function newProtected(tree: TreeLook, { policy, baseline }: Inspection): string[] {
  const found = tree.finds
    .filter((find) => find.kind === "protected" && !tree.isNewSince(dirname(find.path), baseline.look))
    .map((find) => find.path);
  return [...new Set([...watchedNames(policy), ...found])].filter(
    (path) =>
      !baseline.protectedPaths.has(path) &&
      protectedName(policy, path) !== null &&
      lstatSync(path, { throwIfNoEntry: false }),
  );
}

function restoreLink(path: string, target: string, take: (path: string) => void): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && readlinkSync(path) === target) return;
  if (found) take(path);
  try {
    symlinkSync(target, path);
  } catch {
    // Its folder is gone as well; then nothing reads it either.
  }
}

import { lstatSync } from "node:fs";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { GitFinds } from "../git/repositories.ts";
import type { TreeLook } from "../tree/tree-index.ts";
import { watchedNames } from "./build-wall.ts";

/** What stood in the roots before the commands that run now; all else is looked at when the last has ended. */
export type Baseline = {
  /** Number of the look at the tree that this is from. */
  look: number;
  /** Git directories, with the one that holds their config. */
  repositories: Map<string, string>;
  pointers: Set<string>;
  protectedPaths: Set<string>;
};

export function takeBaseline(policy: SandboxPolicy, tree: TreeLook, git: GitFinds): Baseline {
  const standing = watchedNames(policy).filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  const found = tree.finds.filter((find) => find.kind === "protected").map((find) => find.path);
  return {
    look: tree.number,
    repositories: new Map(git.repositories.map((one) => [one.directory, one.common])),
    pointers: new Set(git.pointers.map((one) => one.path)),
    protectedPaths: new Set([...standing, ...found]),
  };
}

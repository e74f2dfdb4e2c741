import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import type { ConfigReader } from "../git/config-files.ts";
import { type GitFinds, realOrNull, repositoriesIn } from "../git/repositories.ts";
import { protectedName } from "../policy.ts";
import type { Find } from "../tree/tree-index.ts";
import { hostSockets } from "./host-sockets.ts";
import { createProtector, type Protector, plainNamesBelow } from "./protect.ts";
import { grantedGitDirectories, protectGit } from "./protect-git.ts";
import { hideSecrets } from "./secrets.ts";
import { emptyWall, type Wall } from "./wall.ts";

/** Host folders that commands see as private ones of their own. */
export const PRIVATE_FOLDERS = ["/tmp", "/run", "/var/run", "/var/tmp", "/dev"];

/** A wall, and the repositories it was built around (to tell new ones afterwards). */
export type BuiltWall = { wall: Wall; git: GitFinds };

/** Builds the wall around one command from what a walk of the roots found. */
export async function buildWall(
  policy: SandboxPolicy,
  finds: readonly Find[],
  options: { writable: boolean; compareGitConfig: boolean; reader: ConfigReader },
): Promise<BuiltWall> {
  const wall = emptyWall();
  const git = repositoriesIn(finds);
  if (options.writable) await protectRoots(wall, policy, finds, git, options);
  const secrets = finds.filter((find) => find.kind === "secret").map((find) => find.path);
  await hideSecrets(wall, policy, secrets);
  const shown = [...policy.writableRoots, ...policy.readableRoots];
  const covered = [...PRIVATE_FOLDERS, ...wall.hiddenDirectories];
  for (const path of hostSockets(covered, shown, policy.allowSockets)) wall.hiddenFiles.add(path);
  return { wall, git };
}

async function protectRoots(
  wall: Wall,
  policy: SandboxPolicy,
  finds: readonly Find[],
  git: GitFinds,
  options: { compareGitConfig: boolean; reader: ConfigReader },
): Promise<void> {
  const { writableRoots } = policy;
  for (const directory of grantedGitDirectories(git.pointers, writableRoots)) {
    wall.writable.add(directory);
    for (const more of repositoriesIn([{ kind: "repository", path: directory }]).repositories) {
      if (!git.repositories.some((known) => known.directory === more.directory)) git.repositories.push(more);
    }
  }
  const protector = createProtector(wall, () => [...writableRoots, ...wall.writable]);
  for (const root of writableRoots) await protectTop(root, policy, protector);
  for (const find of finds) {
    if (find.kind === "protected" && protectedName(policy, find.path) !== null) {
      await protector.protect(find.path, "leave");
    }
  }
  await protectHomeLinks(policy, protector);
  await protectGit(git, protector, options.reader, { home: policy.home, compare: options.compareGitConfig });
}

/**
 * Names on the top level of a root. Missing ones are blocked where something would read them at once: our own
 * folder, the servers of other agents, and in a home the files of the shells. The others would only clutter
 * every listing; they are looked for after the command.
 */
async function protectTop(root: string, policy: SandboxPolicy, protector: Protector): Promise<void> {
  const isHome = isWithin(root, policy.home);
  for (const path of plainNamesBelow(root, policy.protectedNames)) {
    const inside = path.slice(root.length + 1);
    if (inside.startsWith(".git/")) continue;
    const block = BLOCKED_EVERYWHERE.has(inside) || (isHome && !inside.includes("/"));
    await protector.protect(path, block ? "block" : "leave");
  }
}

const BLOCKED_EVERYWHERE = new Set([".lathe", ".mcp.json"]);

/** Start-up files of the home that are links into a root (a repository of dotfiles). */
async function protectHomeLinks(policy: SandboxPolicy, protector: Protector): Promise<void> {
  for (const path of plainNamesBelow(policy.home, policy.protectedNames)) {
    if (!lstatSync(path, { throwIfNoEntry: false })) continue;
    const real = realOrNull(path);
    if (real !== null && real !== path) await protector.protect(real, "leave");
  }
}

/** Where a protected name stands that is looked for after a command: the top level of each root. */
export function watchedNames(policy: SandboxPolicy): string[] {
  return policy.writableRoots.flatMap((root) =>
    plainNamesBelow(root, policy.protectedNames).filter((path) => !path.startsWith(join(root, ".git/"))),
  );
}

import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { ConfigReader } from "../git/config-files.ts";
import { nameTests } from "../tree/name-tests.ts";
import { createTreeIndex, type Find, type TreeIndex, type TreeLook } from "../tree/tree-index.ts";
import { type Baseline, takeBaseline } from "./baseline.ts";
import { buildWall } from "./build-wall.ts";
import { inspectAfter } from "./inspect.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Quarantine } from "./quarantine.ts";
import { emptyWall, type Wall } from "./wall.ts";

/** A command between its preparation and its end. */
export type Entered = {
  wall: Wall;
  /** Ends it; the last one in its roots looks at what was left. Gives the paths that were taken away. */
  leave(): Promise<string[]>;
};

/** Keeps account of which commands run in which roots. */
export type Roots = {
  enter(policy: SandboxPolicy, how: { writable: boolean; compareGitConfig: boolean }): Promise<Entered>;
};

/** The walls of a group are joined; of a protected link the first that was seen counts. */
type Group = { active: number; baseline: Baseline; wall: Wall };

export type RootsOptions = {
  reader: ConfigReader;
  git: string | null;
  quarantine: Quarantine;
  placeholders: Placeholders;
  now(): number;
};

/** Looks are forgotten beyond this number of different trees. */
const MAX_TREES = 32;

/**
 * One at a time: preparing a command and looking at what commands left. Host-side work on a tree never happens
 * while a command could swap its parts, but for the making of mounts.
 */
export function createRoots(options: RootsOptions): Roots {
  const indexes = new Map<string, TreeIndex>();
  const groups = new Map<string, Group>();
  let queue: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = queue.then(work);
    queue = mine.catch(() => undefined);
    return mine;
  };

  const look = async (policy: SandboxPolicy): Promise<TreeLook> => {
    const looks: TreeLook[] = [];
    for (const root of policy.writableRoots)
      looks.push(await indexOf(indexes, root, policy, options.now).look());
    return joined(looks);
  };

  const enter: Roots["enter"] = async (policy, { writable, compareGitConfig }) => {
    const tree = await look(policy);
    const { wall, git } = await buildWall(policy, tree.finds, {
      writable,
      compareGitConfig,
      reader: options.reader,
    });
    if (!writable) return { wall, leave: () => Promise.resolve([]) };
    const key = JSON.stringify(policy.writableRoots);
    options.placeholders.hold(wall.placeholders);
    const group = groups.get(key) ?? {
      active: 0,
      baseline: takeBaseline(policy, tree, git),
      wall: emptyWall(),
    };
    groups.set(key, group);
    group.active++;
    for (const path of wall.writable) group.wall.writable.add(path);
    for (const [path, was] of wall.compared) {
      if (!group.wall.compared.has(path)) group.wall.compared.set(path, was);
    }
    for (const [path, target] of wall.links)
      if (!group.wall.links.has(path)) group.wall.links.set(path, target);
    const leave = async (): Promise<string[]> => {
      group.active--;
      options.placeholders.letGo(wall.placeholders);
      if (group.active > 0) return [];
      groups.delete(key);
      const { git: program, quarantine } = options;
      return inspectAfter(await look(policy), { policy, ...group, git: program, quarantine });
    };
    return { wall, leave: () => inTurn(leave) };
  };

  return { enter: (policy, how) => inTurn(() => enter(policy, how)) };
}

function indexOf(
  indexes: Map<string, TreeIndex>,
  root: string,
  policy: SandboxPolicy,
  now: () => number,
): TreeIndex {
  const key = JSON.stringify([root, policy.denyRead, policy.protectedNames]);
  const known = indexes.get(key);
  if (known) return known;
  const oldest = indexes.keys().next();
  if (indexes.size >= MAX_TREES && !oldest.done) indexes.delete(oldest.value);
  const made = createTreeIndex(root, nameTests(policy), now);
  indexes.set(key, made);
  return made;
}

/** Several roots as one tree. Their looks are counted together, since they are always taken together. */
function joined(looks: readonly TreeLook[]): TreeLook {
  const finds: Find[] = looks.flatMap((one) => one.finds);
  return {
    number: Math.max(0, ...looks.map((one) => one.number)),
    finds,
    isNewSince: (directory, number) => looks.some((one) => one.isNewSince(directory, number)),
    complete: looks.every((one) => one.complete),
  };
}

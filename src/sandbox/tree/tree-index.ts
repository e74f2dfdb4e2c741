import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What a walk looks out for. */
export type FindKind = "git" | "repository" | "protected" | "secret";
export type Find = { kind: FindKind; path: string };

/** One look at a tree. */
export type TreeLook = {
  /** Counts up; the first look is 1. */
  number: number;
  finds: Find[];
  /** Whether a directory was seen for the first time after that look. */
  isNewSince(directory: string, look: number): boolean;
  /** False when the tree has more directories than are looked at. */
  complete: boolean;
};

/** A tree that is looked at again and again: only directories that changed are read anew. */
export type TreeIndex = { look(): Promise<TreeLook> };

/** Tests of a last component; they only choose what the policy is asked about. */
export type NameTests = { isProtected(name: string): boolean; isSecret(name: string): boolean };

type Node = {
  changedAt: number;
  inode: number;
  readAt: number;
  /** Number of the look that saw it first. */
  firstSeen: number;
  directories: string[];
  finds: Find[];
};

/**
 * Not entered: dependencies and caches, which hold neither the user's secrets nor repositories that somebody
 * runs git in, and would be most of the work. `.git` is looked at by the git part.
 */
const NOT_ENTERED = new Set([
  ".git",
  "node_modules",
  ".venv",
  "venv",
  "site-packages",
  "__pycache__",
  ".hg",
  ".svn",
]);

/** A bound for huge trees; what lies nearest to the root is looked at first. */
const MAX_DIRECTORIES = 20_000;

/** A directory that changed this shortly before it was read may change again within the same clock tick. */
const RACY_MS = 50;

/** So many directories are looked at before others get the thread. */
const SLICE = 200;

export function createTreeIndex(root: string, tests: NameTests, now: () => number): TreeIndex {
  let nodes = new Map<string, Node>();
  let number = 0;
  return {
    async look() {
      number++;
      const next = new Map<string, Node>();
      const finds: Find[] = [];
      const queue = [root];
      let at = 0;
      for (; at < queue.length && at < MAX_DIRECTORIES; at++) {
        if (at % SLICE === SLICE - 1) await new Promise((turn) => setImmediate(turn));
        const directory = queue[at] ?? root;
        const before = nodes.get(directory);
        const node = lookAt(directory, before, { tests, now, number });
        if (node === null) continue;
        next.set(directory, node);
        for (const find of node.finds) finds.push(find);
        for (const name of node.directories)
          queue.push(directory === "/" ? `/${name}` : `${directory}/${name}`);
      }
      nodes = next;
      return {
        number,
        finds,
        isNewSince: (directory, look) => (next.get(directory)?.firstSeen ?? 0) > look,
        complete: at >= queue.length,
      };
    },
  };
}

/** The directory as it is now; what is known stands while neither it nor the clock gives a reason to read. */
function lookAt(
  directory: string,
  before: Node | undefined,
  { tests, now, number }: { tests: NameTests; now: () => number; number: number },
): Node | null {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return null;
  // The change time cannot be set by hand, unlike the modification time.
  const { ctimeMs: changedAt, ino: inode } = found;
  if (
    before &&
    before.inode === inode &&
    before.changedAt === changedAt &&
    changedAt + RACY_MS < before.readAt
  ) {
    return before;
  }
  const readAt = now();
  const entries = entriesOf(directory);
  const directories: string[] = [];
  const finds: Find[] = [];
  for (const entry of entries) {
    const name = entry.name;
    const path = join(directory, name);
    if (name.toLowerCase() === ".git") finds.push({ kind: "git", path });
    else if (entry.isDirectory() && !NOT_ENTERED.has(name)) directories.push(name);
    if (tests.isProtected(name)) finds.push({ kind: "protected", path });
    if (tests.isSecret(name)) finds.push({ kind: "secret", path });
  }
  if (looksLikeRepository(entries)) finds.push({ kind: "repository", path: directory });
  const firstSeen = before?.inode === inode ? before.firstSeen : number;
  return { changedAt, inode, readAt, firstSeen, directories, finds };
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Not readable for us: nothing below it can be found, nor used by a command of the same user.
    return [];
  }
}

/** To git a directory is a repository when it holds HEAD and either its parts or the way to them. */
function looksLikeRepository(entries: readonly Dirent[]): boolean {
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

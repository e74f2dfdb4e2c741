import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../shared/fs.ts";
import type { ConfigReader } from "../git/config-files.ts";
import {
  commonOf,
  type GitFinds,
  type GitPointer,
  type Repository,
  realOrNull,
} from "../git/repositories.ts";
import type { Protector } from "./protect.ts";

/** What git may execute later, in every repository of the writable places, and the pointers to them. */
export async function protectGit(
  found: GitFinds,
  protector: Protector,
  reader: ConfigReader,
  { home, compare }: { home: string; compare: boolean },
): Promise<void> {
  for (const pointer of found.pointers) await protector.protect(pointer.path, "leave");
  for (const repository of found.repositories) {
    await protectRepository(repository, protector, reader, { home, compare });
  }
  const own = [join(home, ".gitconfig"), join(home, ".config/git/config"), "/etc/gitconfig"];
  for (const file of own) await protectBrought(file, { home, top: home }, protector, reader);
}

async function protectRepository(
  repository: Repository,
  protector: Protector,
  reader: ConfigReader,
  { home, compare }: { home: string; compare: boolean },
): Promise<void> {
  const { directory, common, top } = repository;
  const linked = common !== directory;
  // An empty `commondir` would make git fail, so a missing one is not blocked but looked for afterwards.
  await protector.protect(join(directory, "commondir"), "leave");
  await protector.protect(join(directory, "config.worktree"), "block");
  for (const folder of linked ? [common] : [directory]) {
    const config = join(folder, "config");
    const isPlain = lstatSync(config, { throwIfNoEntry: false })?.isFile() ?? false;
    if (compare && isPlain) protector.compare(config);
    else await protector.protect(config, "block");
    await protector.protect(join(folder, "config.worktree"), "block");
    await protector.protect(join(folder, "hooks"), "block");
  }
  for (const file of [join(common, "config"), join(directory, "config.worktree")]) {
    await protectBrought(file, { home, top }, protector, reader);
  }
}

async function protectBrought(
  file: string,
  place: { home: string; top: string },
  protector: Protector,
  reader: ConfigReader,
): Promise<void> {
  const brought = await reader.read(file, place);
  for (const path of brought.files) await protectNamed(path, protector);
  for (const folder of brought.hookFolders) {
    await protectNamed(folder, protector);
    // husky's hooks live one level above the folder that git knows.
    if (folder.endsWith("/.husky/_")) await protectNamed(dirname(folder), protector);
  }
}

/** A path as a config file names it, by its own name and by where it leads. */
async function protectNamed(path: string, protector: Protector): Promise<void> {
  await protector.protect(path, "block");
  const real =
    realOrNull(path) ?? resolve(realOrNull(dirname(path)) ?? dirname(path), path.split("/").pop() ?? "");
  if (real !== path) await protector.protect(real, "block");
}

/**
 * Git directories outside the roots that a `.git` file in a root leads to, where they point back to it: the
 * main repository of a linked work tree, or the superproject's of a submodule. Commits need to write there.
 */
export function grantedGitDirectories(pointers: readonly GitPointer[], roots: readonly string[]): string[] {
  const granted = new Set<string>();
  for (const { path, kind, target } of pointers) {
    if (kind !== "file" || target === null || roots.some((root) => isWithin(root, target))) continue;
    if (!ownedByUs(target)) continue;
    const common = commonOf(target);
    const isLinked = common !== target && isWithin(join(common, "worktrees"), target);
    if (isLinked && pointsBackByFile(target, path)) granted.add(common);
    if (common === target && pointsBackByConfig(target, path)) granted.add(target);
  }
  return [...granted];
}

function pointsBackByFile(directory: string, pointer: string): boolean {
  const named = readText(join(directory, "gitdir")).trim();
  return named !== "" && realOrNull(resolve(directory, named)) === pointer;
}

function pointsBackByConfig(directory: string, pointer: string): boolean {
  const match = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readText(join(directory, "config")));
  return match?.[1] !== undefined && realOrNull(resolve(directory, match[1])) === dirname(pointer);
}

function ownedByUs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.geteuid?.();
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

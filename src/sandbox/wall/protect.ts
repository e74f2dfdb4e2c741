import { execFile } from "node:child_process";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../shared/fs.ts";
import { realOrNull } from "../git/repositories.ts";
import { systemProgram } from "../git/run-git.ts";
import type { Wall } from "./wall.ts";

/** Adds protected paths to a wall. `areas` are the writable places; what lies elsewhere needs nothing. */
export type Protector = {
  /** `absent`: what to do when nothing is there. */
  protect(path: string, absent: "block" | "leave"): Promise<void>;
  /** A file that may be written this time, and is compared with what it was afterwards. */
  compare(path: string): void;
};

export function createProtector(wall: Wall, areas: () => readonly string[]): Protector {
  const areaOf = (path: string): string | undefined => areas().find((area) => isWithin(area, path));

  const carry = (path: string, area: string): void => {
    for (let at = dirname(path); at !== area && isWithin(area, at); at = dirname(at)) wall.carried.add(at);
  };

  const protect = async (path: string, absent: "block" | "leave"): Promise<void> => {
    const area = areaOf(path);
    if (area === undefined || path === area) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) {
      if (absent === "leave") return;
      const free = firstMissing(path, area);
      wall.placeholders.add(free);
      return carry(free, area);
    }
    carry(path, area);
    if (found.isSymbolicLink()) {
      if (wall.links.has(path)) return;
      wall.links.set(path, readlinkSync(path));
      const target = realOrNull(path);
      if (target !== null) await protect(target, "leave");
      return;
    }
    wall.readOnly.add(path);
    if (!found.isFile() || found.nlink < 2) return;
    for (const other of await otherNames(areas(), found.ino, path)) {
      wall.readOnly.add(other);
      const inside = areaOf(other);
      if (inside !== undefined) carry(other, inside);
    }
  };
  const compare = (path: string): void => {
    const area = areaOf(path);
    if (area === undefined) return;
    carry(path, area);
    wall.compared.set(path, readOrNull(path));
  };
  return { protect, compare };
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** The first part of `path` below `area` that does not exist. */
function firstMissing(path: string, area: string): string {
  let free = path;
  for (let at = dirname(path); at !== area && isWithin(area, at); at = dirname(at)) {
    if (!lstatSync(at, { throwIfNoEntry: false })) free = at;
  }
  return free;
}

/** Hard links of a file: other names below the given folders. */
export function otherNames(folders: readonly string[], inode: number, path: string): Promise<string[]> {
  const find = systemProgram("find");
  if (find === null) return Promise.resolve([]);
  return new Promise((done) => {
    const args = [...folders, "-xdev", "-type", "f", "-inum", String(inode), "-print0"];
    execFile(find, args, { env: {}, maxBuffer: 1_000_000, timeout: 10_000 }, (_error, stdout) => {
      // A folder that cannot be read makes it fail; what it found stands.
      done(stdout.split("\0").filter((name) => name !== "" && name !== path));
    });
  });
}

/** Names as paths below a folder, without those that are patterns. */
export function plainNamesBelow(folder: string, names: readonly string[]): string[] {
  return names
    .filter((name) => !/[*?[]/.test(name) && !name.startsWith("/"))
    .map((name) => join(folder, name.replace(/\/+$/, "")));
}

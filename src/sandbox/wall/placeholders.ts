import { closeSync, fstatSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { errorCode } from "../../shared/error.ts";

/**
 * Empty files that hold the places of protected names while commands run. Several commands may need the same
 * one; the last takes it away, if it is still the one that was made here.
 */
export type Placeholders = {
  /** Makes what is missing. Throws when a place cannot be held: the command must not run then. */
  hold(paths: Iterable<string>): void;
  letGo(paths: Iterable<string>): void;
};

export function createPlaceholders(ledger: string): Placeholders {
  const held = new Map<string, { users: number; inode: number | null }>();
  for (const [path, inode] of readLedger(ledger)) remove(path, inode);

  /** What is held stands in a file, for whoever comes after a daemon that died. */
  const write = (): void => {
    const made = [...held].flatMap(([path, { inode }]) => (inode === null ? [] : [[path, inode]]));
    writeFileSync(ledger, JSON.stringify(made), { mode: 0o600 });
  };

  return {
    hold(paths) {
      let changed = false;
      for (const path of paths) {
        const known = held.get(path);
        if (known) known.users++;
        else {
          held.set(path, { users: 1, inode: make(path) });
          changed = true;
        }
      }
      if (changed) write();
    },
    letGo(paths) {
      let changed = false;
      for (const path of paths) {
        const known = held.get(path);
        if (!known || --known.users > 0) continue;
        held.delete(path);
        remove(path, known.inode);
        changed = true;
      }
      if (changed) write();
    },
  };
}

function remove(path: string, inode: number | null): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === 0 && found.ino === inode) rmSync(path, { force: true });
}

function readLedger(ledger: string): [string, number][] {
  try {
    const made: unknown = JSON.parse(readFileSync(ledger, "utf8"));
    return Array.isArray(made) ? made.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";

/** The inode of the file made, or null when something stands there by now: it is protected as it is. */
function make(path: string): number | null {
  try {
    const descriptor = openSync(path, "wx", 0o444);
    try {
      return fstatSync(descriptor).ino;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
}

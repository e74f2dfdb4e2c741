import { closeSync, fstatSync, lstatSync, openSync, rmSync } from "node:fs";
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

export function createPlaceholders(): Placeholders {
  const held = new Map<string, { users: number; inode: number | null }>();
  return {
    hold(paths) {
      for (const path of paths) {
        const known = held.get(path);
        if (known) known.users++;
        else held.set(path, { users: 1, inode: make(path) });
      }
    },
    letGo(paths) {
      for (const path of paths) {
        const known = held.get(path);
        if (!known || --known.users > 0) continue;
        held.delete(path);
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found?.isFile() && found.size === 0 && found.ino === known.inode) rmSync(path, { force: true });
      }
    },
  };
}

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

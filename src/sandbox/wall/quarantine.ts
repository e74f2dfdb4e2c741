import { cpSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../shared/error.ts";

/** Takes things out of the roots without destroying them. */
export type Quarantine = {
  /** Moves a file, link or folder away; gives where it went, or null when nothing was there. */
  take(path: string): string | null;
  /** Lends a private copy of some bytes as a file. */
  withCopy<T>(bytes: Uint8Array, use: (path: string) => Promise<T>): Promise<T>;
};

/** Everything goes below `folder`, one numbered place per thing. */
export function createQuarantine(folder: string, newId: () => string): Quarantine {
  return {
    take(path) {
      if (!lstatSync(path, { throwIfNoEntry: false })) return null;
      const place = join(folder, newId());
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const target = join(place, path.slice(path.lastIndexOf("/") + 1));
      try {
        renameSync(path, target);
      } catch (error) {
        if (errorCode(error) !== "EXDEV") throw error;
        cpSync(path, target, { recursive: true, dereference: false, verbatimSymlinks: true });
        rmSync(path, { recursive: true, force: true });
      }
      return target;
    },
    async withCopy(bytes, use) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${newId()}.copy`);
      writeFileSync(path, bytes, { flag: "wx", mode: 0o600 });
      try {
        return await use(path);
      } finally {
        rmSync(path, { force: true });
      }
    },
  };
}

import { constants, fstatSync, readlinkSync, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../../shared/error.ts";

/**
 * What was judged is what is used: a command that runs beside us may swap a directory for a link at any
 * moment. Files are opened without following a last link and the open file's own path is compared with the
 * judged one; directories are held open and their entries named through the handle, so that a swap after the
 * check changes nothing.
 */

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Opens a judged real path for reading; rejects when it is a link or no longer the judged file. */
export async function openJudged(realPath: string, flags = O_RDONLY): Promise<FileHandle> {
  const handle = await open(realPath, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    await verify(handle, realPath);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What an open file is; synchronous for the same reason as in `verify`. */
export function statOf(handle: FileHandle): Stats {
  return fstatSync(handle.fd);
}

/** A directory held open. `at(name)` is a path to an entry that stays in this very directory. */
export type HeldDirectory = { path: string; at(name: string): string; close(): Promise<void> };

/** Holds the judged directory `realPath` open. */
export async function holdDirectory(realPath: string): Promise<HeldDirectory> {
  const handle = await open(realPath, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    await verify(handle, realPath);
  } catch (error) {
    await handle.close();
    throw error;
  }
  const base = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : realPath;
  return { path: realPath, at: (name) => join(base, name), close: () => handle.close() };
}

/** Holds the parent directory of a judged path, making what is missing of it, never through a link. */
export async function holdParent(realPath: string, create: boolean): Promise<HeldDirectory> {
  const parent = dirname(realPath);
  try {
    return await holdDirectory(parent);
  } catch (error) {
    if (!create || errorCode(error) !== "ENOENT" || parent === realPath) throw error;
  }
  const above = await holdParent(parent, true);
  try {
    await mkdir(above.at(basename(parent))).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  } finally {
    await above.close();
  }
  return holdDirectory(parent);
}

async function verify(handle: FileHandle, judged: string): Promise<void> {
  if (process.platform === "linux") {
    // Synchronous, as /proc cannot block and a thread hop costs more than the call.
    if (readlinkSync(`/proc/self/fd/${handle.fd}`) === judged) return;
  } else {
    const [opened, named, real] = await Promise.all([handle.stat(), lstat(judged), realpath(judged)]);
    if (opened.ino === named.ino && opened.dev === named.dev && real === judged) return;
  }
  throw Object.assign(new Error("The path was changed while it was being opened; try again"), {
    code: "ESTALE",
  });
}

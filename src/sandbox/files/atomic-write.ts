import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename } from "node:path";
import { errorCode } from "../../shared/error.ts";
import { type HeldDirectory, holdParent, openJudged, statOf } from "./handles.ts";
import type { Loaded } from "./load.ts";

/**
 * Replaces the content of a judged path, so that a reader or a crash sees the old or the new bytes: written
 * beside it, synced, renamed over it. A new file gets `newMode` less the umask. A file with other hard links, of another owner, or in a directory that
 * takes no new file is written in place instead (its links and owner stay), with the old bytes put back when
 * that fails. The file itself is not touched before `ready` resolves. Rejects with the Node error, or with what
 * `ready` rejects with; the original is then intact.
 */
export async function atomicWrite(
  realPath: string,
  bytes: Uint8Array,
  before: Loaded | null,
  newMode = 0o666,
  ready: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  // A new file in its place would get around a file that its owner made read-only.
  if (before) await access(realPath, constants.W_OK);
  const parent = await holdParent(realPath, before === null);
  try {
    if (before && before.links > 1) return await overwrite(realPath, bytes, before, ready);
    await replace(parent, realPath, bytes, before, newMode, ready);
  } catch (error) {
    if (!before || !(error instanceof KeepInPlace)) throw error;
    await overwrite(realPath, bytes, before, ready);
  } finally {
    await parent.close();
  }
}

/** A new file cannot stand in for the old one here. */
class KeepInPlace extends Error {}

async function replace(
  parent: HeldDirectory,
  realPath: string,
  bytes: Uint8Array,
  before: Loaded | null,
  newMode: number,
  ready: Promise<unknown>,
): Promise<void> {
  const name = basename(realPath);
  const temporary = parent.at(`.${name.slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  const handle = await create(temporary, before, newMode);
  try {
    await fill(handle, bytes, before);
    await ready;
    await rename(temporary, parent.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function create(path: string, before: Loaded | null, newMode: number): Promise<FileHandle> {
  try {
    return await open(path, "wx", before ? before.mode & 0o777 : newMode);
  } catch (error) {
    const code = errorCode(error);
    if (before && (code === "EACCES" || code === "EPERM"))
      throw new KeepInPlace("no new file", { cause: error });
    throw error;
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array, before: Loaded | null): Promise<void> {
  try {
    if (before) {
      const own = statOf(handle);
      if (own.uid !== before.uid || own.gid !== before.gid) {
        await handle.chown(before.uid, before.gid).catch((cause: unknown) => {
          throw new KeepInPlace("cannot keep the owner", { cause });
        });
      }
      if ((own.mode & 0o7777) !== before.mode) await handle.chmod(before.mode);
    }
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function overwrite(
  realPath: string,
  bytes: Uint8Array,
  before: Loaded,
  ready: Promise<unknown>,
): Promise<void> {
  await ready;
  const handle = await openJudged(realPath, constants.O_WRONLY);
  try {
    try {
      await writeAll(handle, bytes);
    } catch (error) {
      if (before.bytes) await writeAll(handle, before.bytes);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  }
  await handle.truncate(bytes.length);
  await handle.sync();
}

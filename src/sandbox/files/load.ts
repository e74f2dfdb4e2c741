import type { FileHandle } from "node:fs/promises";
import type { Result } from "../../protocol/ports.ts";
import { errorCode } from "../../shared/error.ts";
import { MAX_KEPT_BYTES } from "./context.ts";
import { fail, failFrom } from "./errors.ts";
import { openJudged, statOf } from "./handles.ts";

/** A regular file as it stands: whole bytes and what a writer must keep. `bytes: null` = too large to load. */
export type Loaded = {
  bytes: Buffer | null;
  size: number;
  mode: number;
  uid: number;
  gid: number;
  links: number;
};

/** Loads a judged file; `null` when there is none. Directories, pipes and devices are refused. */
export async function load(realPath: string, path: string): Promise<Result<Loaded | null>> {
  let handle: FileHandle | undefined;
  try {
    handle = await openJudged(realPath);
    const stat = statOf(handle);
    if (stat.isDirectory()) return fail("is_directory", `Is a directory: ${path}`);
    if (!stat.isFile()) return fail("invalid", `Not a regular file (a device, pipe or socket): ${path}`);
    const bytes = stat.size > MAX_KEPT_BYTES ? null : await readWhole(handle, stat.size);
    const { size, uid, gid, nlink } = stat;
    return { ok: true, value: { bytes, size, mode: stat.mode & 0o7777, uid, gid, links: nlink } };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { ok: true, value: null };
    return failFrom(error, path);
  } finally {
    await handle?.close();
  }
}

/** All bytes of an open file: `size` of them, or as many as there are by now. */
export async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, size - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

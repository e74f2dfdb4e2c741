import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../../shared/error.ts";

const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

const HASH = /^[0-9a-f]{64}$/;
const TEMPORARY = /^writing-/;

/** The folder of blobs: `<root>/ab/<hash>`, every file whole or not there at all. */
export type BlobFiles = {
  /** Size of the stored file; null when there is none. */
  size(hash: string): Promise<number | null>;
  /** Puts the bytes in place; on the disk when it resolves. Rejects with the Node error and leaves nothing. */
  write(hash: string, bytes: Uint8Array): Promise<void>;
  read(hash: string, range?: { offset: number; length: number }): Promise<Uint8Array | null>;
  /** Deletes at once, so that nothing comes between a check and it. */
  remove(hash: string): void;
  list(): Promise<string[]>;
  /** Deletes what writers that died left behind before the given time. */
  removeUnfinished(before: number): Promise<void>;
};

/** True for what can be a blob's name; anything else is never looked for on the disk. */
export function isBlobHash(text: string): boolean {
  return HASH.test(text);
}

export function createBlobFiles(root: string): BlobFiles {
  const folderOf = (hash: string): string => join(root, hash.slice(0, 2));
  const pathOf = (hash: string): string => join(folderOf(hash), hash);
  return {
    size: (hash) => orNull(stat(pathOf(hash)).then((found) => found.size)),
    async write(hash, bytes) {
      const partial = join(root, `writing-${randomBytes(8).toString("hex")}`);
      try {
        await writeDurably(partial, bytes);
        mkdirSync(folderOf(hash), { recursive: true, mode: 0o700 });
        renameSync(partial, pathOf(hash));
      } catch (error) {
        rmSync(partial, { force: true });
        throw error;
      }
      await syncFolder(folderOf(hash));
    },
    read: (hash, range) => orNull(range ? readRange(pathOf(hash), range) : readFile(pathOf(hash))),
    remove(hash) {
      try {
        unlinkSync(pathOf(hash));
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
    },
    async list() {
      const hashes: string[] = [];
      for (const folder of await namesIn(root)) {
        if (folder.length !== 2) continue;
        hashes.push(...(await namesIn(join(root, folder))).filter(isBlobHash));
      }
      return hashes;
    },
    async removeUnfinished(before) {
      for (const name of await namesIn(root)) {
        if (!TEMPORARY.test(name)) continue;
        const path = join(root, name);
        const written = await orNull(stat(path).then((found) => found.mtimeMs));
        if (written !== null && written < before) await rm(path, { force: true });
      }
    },
  };
}

/** Only the waits for the disk leave the thread: each other step is shorter than the way to a worker. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    await syncData(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the new name durable, too. */
async function syncFolder(path: string): Promise<void> {
  const descriptor = openSync(path, "r");
  try {
    await syncAll(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function readRange(path: string, range: { offset: number; length: number }): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.min(Math.max(range.offset, 0), size);
    const bytes = Buffer.alloc(Math.max(Math.min(range.length, size - start), 0));
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await file.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await orNull(readdir(folder))) ?? [];
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

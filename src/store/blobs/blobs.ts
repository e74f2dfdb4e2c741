import type { BlobRef } from "../../protocol/message.ts";
import { AppError } from "../../shared/error.ts";
import { sha256 } from "../../shared/hash.ts";
import type { Database } from "../adapter.ts";
import { type BlobFiles, isBlobHash } from "./blob-files.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Stores the bytes under their hash; they are on the disk when it resolves. The index row is renewed before
 * the file is looked at: a sweep that runs meanwhile sees a young blob and leaves it. AppError `too_large`.
 */
export async function putBlob(
  db: Database,
  files: BlobFiles,
  bytes: Uint8Array,
  mediaType: string,
  now: number,
): Promise<BlobRef> {
  if (bytes.length > MAX_BYTES) {
    throw new AppError("too_large", `${bytes.length} bytes are too many for one blob; the limit is 64 MiB`);
  }
  const hash = sha256(bytes);
  // Whether the row survives a power cut matters little: a sweep adopts a file that the index does not know.
  const isNew = db.transaction("normal", () => touch(db, { hash, size: bytes.length, mediaType }, now));
  if ((await files.size(hash)) === bytes.length) return { hash, size: bytes.length, mediaType };
  try {
    await files.write(hash, bytes);
  } catch (error) {
    if (isNew) db.run("DELETE FROM blobs WHERE hash = ?", hash);
    throw error;
  }
  return { hash, size: bytes.length, mediaType };
}

/** Gives true when the index did not have the blob. */
function touch(db: Database, blob: BlobRef, now: number): boolean {
  if (db.run("UPDATE blobs SET touched_at = ? WHERE hash = ?", now, blob.hash) > 0) return false;
  db.run(
    "INSERT INTO blobs (hash, size, media_type, touched_at) VALUES (?, ?, ?, ?)",
    blob.hash,
    blob.size,
    blob.mediaType,
    now,
  );
  return true;
}

/** The bytes or a part of them; null when the blob is not there, or not whole (its disk lost a part). */
export async function getBlob(
  db: Database,
  files: BlobFiles,
  hash: string,
  range?: { offset: number; length: number },
): Promise<Uint8Array | null> {
  if (!isBlobHash(hash)) return null;
  const expected = db.get<{ size: number }>("SELECT size FROM blobs WHERE hash = ?", hash)?.size;
  const size = await files.size(hash);
  if (size === null || (expected !== undefined && expected !== size)) return null;
  return await files.read(hash, range);
}

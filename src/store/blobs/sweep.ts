import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../adapter.ts";
import type { BlobFiles } from "./blob-files.ts";

/** A blob is left alone for so long: the fact that will name it may not be written yet. */
const YOUNG_MS = 60 * 60 * 1000;
const PAGE = 200;

/**
 * Where blobs can be named, in the direction in which names travel (from a queued prompt to its message): what
 * moves on while the sweep reads is met again further down.
 */
const PLACES = [
  ["session_states", "state"],
  ["approvals", "json"],
  ["facts", "json"],
  ["messages", "json"],
] as const;

/**
 * Deletes blobs that are an hour old and named nowhere; gives how many and their bytes. Other work goes on
 * between its steps. `deletions` counts deleted sessions: row numbers may be used again after one, so that
 * the reading begins anew.
 */
export async function sweepBlobs(
  db: Database,
  files: BlobFiles,
  now: () => number,
  deletions: () => number,
): Promise<{ count: number; bytes: number }> {
  await adoptFiles(db, files, now());
  let named: Set<string>;
  let seen: number;
  do {
    seen = deletions();
    named = await namedHashes(db);
  } while (seen !== deletions());
  for (const row of db.all<{ prefix_hash: string }>(
    "SELECT prefix_hash FROM session_contexts WHERE prefix_hash IS NOT NULL",
  )) {
    named.add(row.prefix_hash);
  }
  // From here on nothing else runs until the end.
  let count = 0;
  let bytes = 0;
  const old = db.all<{ hash: string; size: number }>(
    "SELECT hash, size FROM blobs WHERE touched_at < ?",
    now() - YOUNG_MS,
  );
  for (const blob of old) {
    if (named.has(blob.hash)) continue;
    files.remove(blob.hash);
    db.run("DELETE FROM blobs WHERE hash = ?", blob.hash);
    count += 1;
    bytes += blob.size;
  }
  return { count, bytes };
}

/** Files without an index row (of an older copy of the database) get one; they count as young. */
async function adoptFiles(db: Database, files: BlobFiles, now: number): Promise<void> {
  await files.removeUnfinished(now - YOUNG_MS);
  for (const hash of await files.list()) {
    const size = await files.size(hash);
    if (size === null) continue;
    db.run(
      "INSERT INTO blobs (hash, size, media_type, touched_at) VALUES (?, ?, 'application/octet-stream', ?) ON CONFLICT (hash) DO NOTHING",
      hash,
      size,
      now,
    );
  }
}

async function namedHashes(db: Database): Promise<Set<string>> {
  const named = new Set<string>();
  for (const [table, column] of PLACES) {
    let last = 0;
    for (;;) {
      const rows = db.all<{ id: number; text: string | null }>(
        `SELECT rowid AS id, ${column} AS text FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
        last,
      );
      for (const { text } of rows) {
        for (const match of (text ?? "").matchAll(/"([0-9a-f]{64})"/g)) named.add(match[1] as string);
      }
      last = rows.at(-1)?.id ?? last;
      if (rows.length < PAGE) break;
      await nextTurn();
    }
  }
  return named;
}

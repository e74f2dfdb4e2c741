import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { AppError } from "../../shared/error.ts";
import type { Database } from "../adapter.ts";
import type { Migration } from "./migration.ts";

/** The schema version of a database; 0 when it is new. */
export function schemaVersion(db: Database): number {
  return db.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}

/** AppError `newer_database` when a newer lathe made it; nothing was changed then. */
export function refuseNewer(db: Database, path: string, migrations: readonly Migration[]): void {
  const found = schemaVersion(db);
  const known = newest(migrations);
  if (found <= known) return;
  throw new AppError(
    "newer_database",
    `${path} was written by a newer lathe (its schema is ${found}, this one knows up to ${known}); update lathe, or put the older copy ${path}.bak-${known} in its place if there is one`,
  );
}

/**
 * Brings the schema forward, each step in its own transaction. A database that holds something is copied to
 * `<path>.bak-<old version>` first.
 */
export function migrate(
  db: Database,
  path: string,
  migrations: readonly Migration[],
  log: (text: string) => void,
): void {
  const from = schemaVersion(db);
  if (from >= newest(migrations)) return;
  if (from > 0) {
    const copy = backUp(db, path, from);
    log(`the database goes from schema ${from} to ${newest(migrations)}; a copy from before is ${copy}`);
  }
  for (const { version, sql } of migrations) {
    if (version <= from) continue;
    db.transaction("full", () => {
      // Another process may have done this step since.
      if (schemaVersion(db) >= version) return;
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version}`);
    });
  }
}

function newest(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** A whole copy under its final name, or none. It replaces the copy of an earlier attempt. */
function backUp(db: Database, path: string, version: number): string {
  const target = `${path}.bak-${version}`;
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  // SQLite fills an empty file and keeps its mode, but would make one that others can read.
  closeSync(openSync(partial, "wx", 0o600));
  db.run("VACUUM INTO ?", partial);
  sync(partial);
  renameSync(partial, target);
  return target;
}

function sync(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

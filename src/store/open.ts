import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../protocol/store-port.ts";
import { type Database, openDatabase } from "./adapter.ts";
import { createBlobFiles } from "./blobs/blob-files.ts";
import { type Driver, loadDriver } from "./driver.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import { migrate, refuseNewer, schemaVersion } from "./migrations/migrate.ts";
import type { Migration } from "./migrations/migration.ts";
import { toStoreError } from "./sqlite-error.ts";
import { createStore } from "./store.ts";

export type StoreOptions = {
  /** Made when it is not there, and shut to other users. Holds `lathe.sqlite` and `blobs/`. */
  dir: string;
  now: () => number;
  /** Told what a maintainer should know: a migration, a file system without WAL. */
  log?: (text: string) => void;
};

/**
 * Opens the store, brings its schema forward if needed. Rejects with AppError `newer_database` (nothing was
 * touched), `corrupt` (the files are left as they are), `no_space` or `io`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  return openStoreWith(options, loadDriver, MIGRATIONS);
}

/** `openStore` with its parts named, for tests of migrations and of the other driver. */
export async function openStoreWith(
  options: StoreOptions,
  load: () => Driver,
  migrations: readonly Migration[],
): Promise<Store> {
  const path = join(options.dir, "lathe.sqlite");
  const blobs = join(options.dir, "blobs");
  const log = options.log ?? (() => undefined);
  try {
    makePrivate(options.dir);
    makePrivate(blobs);
    makePrivateFile(path);
    const db = prepareDatabase(load(), path, migrations, log);
    return createStore({ db, files: createBlobFiles(blobs), path, now: options.now });
  } catch (error) {
    throw toStoreError(error, path);
  }
}

function prepareDatabase(
  driver: Driver,
  path: string,
  migrations: readonly Migration[],
  log: (text: string) => void,
): Database {
  const db = openDatabase(driver, path);
  try {
    refuseNewer(db, path, migrations);
    configure(db, log);
    migrate(db, path, migrations, log);
    // Reads the whole schema, so that damage there is found now and not in the first session.
    db.get("SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Small settings: the daemon's memory is budgeted. The WAL is written back at 1000 pages (4 MiB) at the latest,
 * which one commit then waits for; the store does it before, in a pause. Deleted sessions give their space back (auto_vacuum, which must come
 * before the first table and would be one more write later).
 */
function configure(db: Database, log: (text: string) => void): void {
  db.exec("PRAGMA busy_timeout = 5000");
  if (schemaVersion(db) === 0) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  const mode = db.get<{ journal_mode: string }>("PRAGMA journal_mode = WAL")?.journal_mode;
  if (mode !== "wal") log(`the database's file system has no WAL (${mode}); commits are slower`);
  db.exec("PRAGMA wal_autocheckpoint = 1000");
  db.exec("PRAGMA journal_size_limit = 1048576");
  db.exec("PRAGMA cache_size = -4000");
  db.exec("PRAGMA mmap_size = 0");
  db.exec("PRAGMA temp_store = MEMORY");
  db.exec("PRAGMA trusted_schema = OFF");
}

function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** SQLite gives its -wal and -shm files the mode of the database. */
function makePrivateFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

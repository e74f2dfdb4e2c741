import { createRequire } from "node:module";
import { AppError } from "../shared/error.ts";

/** What this room uses of a SQLite module; `node:sqlite` and its stand-in agree on it. */
export type Driver = {
  /** For people: which module, and the version of SQLite inside. */
  name: string;
  open(path: string): DriverDatabase;
};

export type DriverDatabase = {
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
};

export type DriverStatement = {
  run(...values: unknown[]): { changes: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
};

type SqliteModule = { DatabaseSync: new (path: string) => DriverDatabase };

/** The first release without the fault that could lose WAL pages at a checkpoint. */
const OLDEST = [3, 51, 3];

/**
 * SQLite as it comes with Node, where that has full-text search and is new enough (Node 24, late Node 22);
 * else the package. AppError `io` when neither can be loaded.
 */
export function loadDriver(): Driver {
  const builtin = withoutWarning(() => process.getBuiltinModule?.("node:sqlite")) as SqliteModule | undefined;
  const found = builtin && describe("node:sqlite", builtin);
  return found ?? loadPackage();
}

/** The package alone: what Node 20 gets. */
export function loadPackage(): Driver {
  const driver = describe("@photostructure/sqlite", requirePackage());
  if (!driver) {
    throw new AppError(
      "io",
      "the SQLite in @photostructure/sqlite is too old or has no FTS5; install lathe anew",
    );
  }
  return driver;
}

function requirePackage(): SqliteModule {
  const require = createRequire(import.meta.url);
  try {
    return require("@photostructure/sqlite") as SqliteModule;
  } catch (error) {
    const system = `${process.platform} ${process.arch}, Node ${process.version}`;
    throw new AppError(
      "io",
      `the database module @photostructure/sqlite cannot be loaded on this system (${system}); install lathe anew, or use Node 24, which brings SQLite itself`,
      { cause: error },
    );
  }
}

function describe(name: string, module: SqliteModule): Driver | null {
  const probe = new module.DatabaseSync(":memory:");
  try {
    const row = probe
      .prepare("SELECT sqlite_version() AS version, sqlite_compileoption_used('ENABLE_FTS5') AS fts5")
      .get() as { version: string; fts5: number };
    if (row.fts5 !== 1 || !isAtLeast(row.version, OLDEST)) return null;
    return { name: `${name} (SQLite ${row.version})`, open: (path) => new module.DatabaseSync(path) };
  } finally {
    probe.close();
  }
}

function isAtLeast(version: string, oldest: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const index = oldest.findIndex((part, at) => (parts[at] ?? 0) !== part);
  return index < 0 || (parts[index] ?? 0) > (oldest[index] ?? 0);
}

/** Node 22 says on loading that its SQLite is experimental; that is no news for a user of lathe. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).includes("SQLite")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

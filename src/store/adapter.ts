import type { Durability } from "../protocol/store-port.ts";
import type { Driver, DriverStatement } from "./driver.ts";

/** What SQLite can hold. No booleans, no dates: the drivers disagree on them. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One open database; statements are prepared once per text. Throws the driver's errors (see sqlite-error.ts). */
export type Database = {
  exec(sql: string): void;
  /** Gives the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): number;
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /**
   * Runs the work in one write transaction, which is undone when the work throws. `full` is on the disk when
   * this returns; `normal` is with the operating system. Not to be nested.
   */
  transaction<T>(durability: Durability, work: () => T): T;
  /** Harmless when repeated; anything else throws afterwards. */
  close(): void;
};

export function openDatabase(driver: Driver, path: string): Database {
  const raw = driver.open(path);
  const statements = new Map<string, DriverStatement>();
  const prepared = (sql: string): DriverStatement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = raw.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  let closed = false;
  let synchronous: Durability | null = null;
  const setSynchronous = (durability: Durability): void => {
    if (synchronous === durability) return;
    raw.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    synchronous = durability;
  };

  return {
    exec: (sql) => raw.exec(sql),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    get: <Row>(sql: string, ...values: SqlValue[]) => prepared(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SqlValue[]) => prepared(sql).all(...values) as Row[],
    transaction(durability, work) {
      setSynchronous(durability);
      prepared("BEGIN IMMEDIATE").run();
      try {
        const result = work();
        prepared("COMMIT").run();
        return result;
      } catch (error) {
        rollBack(raw);
        throw error;
      }
    },
    close() {
      if (closed) return;
      closed = true;
      // The package cannot end its statements: the file stays open until they are collected, and so does the
      // WAL. Hence all of it goes into the database first.
      writeBack(raw);
      statements.clear();
      raw.close();
    },
  };
}

function writeBack(raw: { exec(sql: string): void }): void {
  try {
    raw.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // No space, or another connection reads: the WAL stays and is read at the next opening.
  }
}

function rollBack(raw: { exec(sql: string): void }): void {
  try {
    raw.exec("ROLLBACK");
  } catch {
    // SQLite has undone the transaction itself, as it does when the disk is full.
  }
}

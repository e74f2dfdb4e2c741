import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./adapter.ts";
import { type Driver, loadDriver, loadPackage } from "./driver.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import type { Migration } from "./migrations/migration.ts";
import { openStore, openStoreWith } from "./open.ts";
import { sampleCommit, sampleStored } from "./testing/samples.ts";

let dir: string;
let file: string;
let logged: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "lathe-open-"));
  file = join(dir, "lathe.sqlite");
  logged = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const options = () => ({ dir, now: () => 1, log: (text: string) => logged.push(text) });
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A database with one session in it, closed. */
async function makeOne(): Promise<void> {
  const store = await openStore(options());
  await store.createSession(sampleStored("s1"), [], 1);
  await store.close();
}

function inside<T>(work: (db: ReturnType<typeof openDatabase>) => T, path = file): T {
  const db = openDatabase(loadDriver(), path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

describe("openStore", () => {
  it("makes everything for this user only, and tightens what was open", async () => {
    const store = await openStore({ ...options(), dir: join(dir, "deep", "state") });
    await store.createSession(sampleStored("s1"), [], 1);
    const state = join(dir, "deep", "state");
    expect(modeOf(state)).toBe(0o700);
    for (const name of readdirSync(state)) expect(modeOf(join(state, name)) & 0o077).toBe(0);
    expect(readdirSync(state).sort()).toEqual([
      "blobs",
      "lathe.sqlite",
      "lathe.sqlite-shm",
      "lathe.sqlite-wal",
    ]);
    await store.close();
    const wal = join(state, "lathe.sqlite-wal");
    expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);

    chmodSync(state, 0o755);
    chmodSync(join(state, "lathe.sqlite"), 0o644);
    await (await openStore({ ...options(), dir: state })).close();
    expect(modeOf(state)).toBe(0o700);
    expect(modeOf(join(state, "lathe.sqlite"))).toBe(0o600);
  });

  it("names the path when the folder cannot be", async () => {
    writeFileSync(join(dir, "taken"), "");
    const opening = openStore({ ...options(), dir: join(dir, "taken") });
    await expect(opening).rejects.toMatchObject({ code: "io", message: expect.stringContaining("taken") });
  });

  it("serves two at once, and each sees what the other stored", async () => {
    const one = await openStore(options());
    const two = await openStore(options());
    await one.createSession(sampleStored("s1"), [], 1);
    await two.commit(sampleCommit("s1", 0));
    await expect(one.commit(sampleCommit("s1", 0))).rejects.toMatchObject({ code: "seq_conflict" });
    await one.commit(sampleCommit("s1", 1));
    await one.close();
    expect((await two.loadSession("s1"))?.seq).toBe(2);
    await two.close();
  });

  it("shows audit rows, grants and file changes to whoever looks inside with SQL", async () => {
    await makeOne();
    const names = inside((db) =>
      db.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'view'"),
    );
    for (const { name } of names) expect(inside((db) => db.all(`SELECT * FROM ${name}`))).toEqual([]);
    expect(names.map(({ name }) => name).sort()).toEqual(["audit", "file_changes", "grants"]);
  });
});

describe("a newer database", () => {
  it("is refused and not touched", async () => {
    await makeOne();
    inside((db) => db.exec("PRAGMA user_version = 99"));
    const before = readFileSync(file);
    await expect(openStore(options())).rejects.toMatchObject({
      code: "newer_database",
      message: expect.stringContaining(file),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe("a damaged database", () => {
  const refused = async (): Promise<void> => {
    const before = readFileSync(file);
    await expect(openStore(options())).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining(file),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  };

  it("is refused and left as it is when it is something else", async () => {
    await makeOne();
    writeFileSync(file, "this is no database, it is a text of some length".repeat(100));
    await refused();
  });

  it("is refused when its first page is broken", async () => {
    await makeOne();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 100, 4096);
    writeFileSync(file, bytes);
    await refused();
  });

  it("rejects with `corrupt` where damage shows later", async () => {
    await makeOne();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 2 * 4096);
    writeFileSync(file, bytes);
    const failures: unknown[] = [];
    try {
      const store = await openStore(options());
      await store.loadSession("s1").catch((error) => failures.push(error));
      await store.close();
    } catch (error) {
      failures.push(error);
    }
    expect(failures).toMatchObject([{ code: "corrupt" }]);
  });
});

describe("migrations", () => {
  const newest = MIGRATIONS.length;
  const next: Migration = {
    version: newest + 1,
    sql: "ALTER TABLE sessions ADD COLUMN colour TEXT; CREATE TABLE extra (n INTEGER) STRICT;",
  };

  it("count up from 1 without gaps", () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it("go forward after a copy that an older lathe can open", async () => {
    await makeOne();
    const store = await openStoreWith(options(), loadDriver, [...MIGRATIONS, next]);
    expect((await store.loadSession("s1"))?.session.id).toBe("s1");
    expect((await store.stats()).schemaVersion).toBe(newest + 1);
    await store.close();
    const copy = `${file}.bak-${newest}`;
    expect(modeOf(copy)).toBe(0o600);
    expect(logged.join()).toContain(copy);
    await expect(openStore(options())).rejects.toMatchObject({ code: "newer_database" });

    const old = join(dir, "old");
    mkdirSync(old);
    copyFileSync(copy, join(old, "lathe.sqlite"));
    const restored = await openStore({ ...options(), dir: old });
    expect((await restored.loadSession("s1"))?.session.id).toBe("s1");
    await restored.close();
  });

  it("leave the database as it was when a step fails, and can be tried again", async () => {
    await makeOne();
    const broken: Migration = {
      version: newest + 1,
      sql: "CREATE TABLE half (n INTEGER); CREATE TABLE sessions (n INTEGER);",
    };
    await expect(openStoreWith(options(), loadDriver, [...MIGRATIONS, broken])).rejects.toMatchObject({
      code: "io",
    });
    expect(inside((db) => db.get("SELECT name FROM sqlite_schema WHERE name = 'half'"))).toBeUndefined();
    const store = await openStoreWith(options(), loadDriver, [...MIGRATIONS, next]);
    expect((await store.stats()).schemaVersion).toBe(newest + 1);
    await store.close();
    expect(readdirSync(dir).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("make no copy of a database that is new or needs none", async () => {
    await makeOne();
    await (await openStore(options())).close();
    expect(readdirSync(dir).some((name) => name.includes(".bak-"))).toBe(false);
    expect(existsSync(file)).toBe(true);
  });
});

describe("drivers", () => {
  const drivers: [string, () => Driver][] = [
    ["the one chosen here", loadDriver],
    ["the package", loadPackage],
  ];
  for (const [name, load] of drivers) {
    it(`work alike: ${name}`, async () => {
      const store = await openStoreWith(options(), load, MIGRATIONS);
      await store.createSession(sampleStored("s1"), [], 1);
      await store.commit(sampleCommit("s1", 0, { durability: "full", at: 1_764_547_200_123 }));
      expect((await store.factsAfter("s1", 0, Number.MAX_SAFE_INTEGER))[0]?.at).toBe(1_764_547_200_123);
      await expect(store.createSession(sampleStored("s1"), [], 1)).rejects.toMatchObject({
        code: "seq_conflict",
      });
      await store.close();
    });
  }
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase } from "./adapter.ts";
import { createBlobFiles } from "./blobs/blob-files.ts";
import { loadDriver } from "./driver.ts";
import { createStore } from "./store.ts";
import { buildChild } from "./testing/build-child.ts";
import type { FillReport } from "./testing/child-work.ts";
import { added, sampleCommit, sampleMessage, sampleSession, sampleStored } from "./testing/samples.ts";
import { temporaryStore } from "./testing/temporary-store.ts";

const message = (id: string, parent: string | null) =>
  added(sampleMessage(id, parent, "s1", "x".repeat(100_000)));

describe("a database that cannot grow", () => {
  it("says so, keeps nothing of the commit, and goes on once there is space", async () => {
    const temporary = await temporaryStore();
    await temporary.store.createSession(sampleStored("s1"), [], 1);
    await temporary.store.close();
    // The same store over a connection whose size is limited, as on a full disk.
    const db = openDatabase(loadDriver(), temporary.file);
    db.exec("PRAGMA max_page_count = 60");
    const files = createBlobFiles(join(temporary.dir, "blobs"));
    const store = createStore({ db, files, path: temporary.file, now: () => 1 });
    const commit = sampleCommit("s1", 0, {
      facts: [message("a", null), message("b", "a"), message("c", "b")],
      session: sampleSession("s1", { head: "c" }),
      command: { id: "c1", answer: true },
      durability: "full",
    });
    await expect(store.commit(commit)).rejects.toMatchObject({
      code: "no_space",
      message: expect.stringContaining(temporary.file),
    });
    expect((await store.loadSession("s1"))?.seq).toBe(0);
    expect(await store.factsAfter("s1", 0, 10)).toEqual([]);
    expect(await store.commandAnswer("s1", "c1")).toBeUndefined();
    await store.commit(sampleCommit("s1", 0));

    db.exec("PRAGMA max_page_count = 100000");
    await store.commit({ ...commit, expectedSeq: 1 });
    expect((await store.messageChain("c")).length).toBe(3);
    await store.close();
    await temporary.remove();
  });
});

/** Gives a namespace in which a plain user may mount, where the system allows it. */
const UNSHARE = "unshare";
const mounts = spawnSync(UNSHARE, ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

describe("a full disk", () => {
  it.skipIf(!mounts)(
    "costs what did not fit, and nothing else (skipped where nobody may mount)",
    async () => {
      const child = await buildChild("fillDisk");
      const dir = mkdtempSync(join(tmpdir(), "lathe-full-"));
      const script = 'mount -t tmpfs -o size=2m none "$1" && mkdir "$1/state" && exec "$2" "$3" "$1/state"';
      const run = spawnSync(UNSHARE, ["-rm", "sh", "-c", script, "sh", dir, process.execPath, child.script], {
        encoding: "utf8",
      });
      child.remove();
      rmSync(dir, { recursive: true });
      expect(run.stderr).toBe("");
      const seen = JSON.parse(run.stdout) as FillReport;
      expect(seen).toMatchObject({
        failure: "no_space",
        blobFailure: "no_space",
        leftovers: [],
        after: "ok",
      });
      expect(seen.full).toBeGreaterThan(5);
      expect(seen.readable).toBe(seen.full);
      expect(seen.reopened).toBe(seen.full + 1);
    },
  );
});

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../shared/hash.ts";
import { added, sampleCommit, sampleMessage, sampleSession, sampleStored } from "../testing/samples.ts";
import { type TemporaryStore, temporaryStore } from "../testing/temporary-store.ts";

const HOUR = 3_600_000;
let temporary: TemporaryStore;
beforeEach(async () => {
  temporary = await temporaryStore();
});
afterEach(() => temporary.remove());

const root = (): string => join(temporary.dir, "blobs");
const fileOf = (hash: string): string => join(root(), hash.slice(0, 2), hash);
const put = async (text: string): Promise<string> =>
  (await temporary.store.putBlob(Buffer.from(text), "text/plain")).hash;
const read = async (hash: string, range?: { offset: number; length: number }): Promise<string | null> => {
  const bytes = await temporary.store.getBlob(hash, range);
  return bytes && Buffer.from(bytes).toString();
};

describe("putBlob and getBlob", () => {
  it("keep bytes under their hash, for this user only", async () => {
    const ref = await temporary.store.putBlob(Buffer.from("hello"), "text/plain");
    expect(ref).toEqual({ hash: sha256("hello"), size: 5, mediaType: "text/plain" });
    await temporary.reopen();
    expect(await read(ref.hash)).toBe("hello");
    expect(statSync(fileOf(ref.hash)).mode & 0o777).toBe(0o600);
    expect(statSync(root()).mode & 0o777).toBe(0o700);
    expect(readdirSync(root())).toEqual([ref.hash.slice(0, 2)]);
    expect(await read(await put(""))).toBe("");
  });

  it("give parts, cut at the end of the bytes", async () => {
    const hash = await put("0123456789");
    expect(await read(hash, { offset: 2, length: 3 })).toBe("234");
    expect(await read(hash, { offset: 8, length: 100 })).toBe("89");
    expect(await read(hash, { offset: 10, length: 1 })).toBe("");
    expect(await read(hash, { offset: 99, length: 1 })).toBe("");
    expect(await read(hash, { offset: 0, length: 0 })).toBe("");
  });

  it("know nothing of what was never stored, and look nowhere else", async () => {
    expect(await read(sha256("other"))).toBeNull();
    writeFileSync(join(temporary.dir, "secret"), "secret");
    expect(await read("../secret")).toBeNull();
    expect(await read("..")).toBeNull();
    expect(await read(sha256("other").toUpperCase())).toBeNull();
  });

  it("store equal bytes once, also when asked at the same time", async () => {
    const hashes = await Promise.all(Array.from({ length: 8 }, () => put("same")));
    expect(new Set(hashes).size).toBe(1);
    expect((await temporary.store.stats()).blobBytes).toBe(4);
    expect(await read(hashes[0] as string)).toBe("same");
  });

  it("treat a file that lost its bytes as missing, and mend it at the next put", async () => {
    const hash = await put("whole");
    truncateSync(fileOf(hash), 0);
    expect(await read(hash)).toBeNull();
    await put("whole");
    expect(await read(hash)).toBe("whole");
  });

  it("refuse more than 64 MiB", async () => {
    const bytes = new Uint8Array(64 * 1024 * 1024 + 1);
    await expect(temporary.store.putBlob(bytes, "x/y")).rejects.toMatchObject({ code: "too_large" });
  });

  it("leave nothing behind when the bytes cannot be written", async () => {
    const hash = sha256("never");
    // A file where the folder must be.
    writeFileSync(join(root(), hash.slice(0, 2)), "");
    await expect(put("never")).rejects.toMatchObject({ code: "io" });
    expect(await read(hash)).toBeNull();
    expect((await temporary.store.stats()).blobBytes).toBe(0);
    rmSync(join(root(), hash.slice(0, 2)));
    expect(readdirSync(root())).toEqual([]);
    expect(await read(await put("never"))).toBe("never");
  });
});

describe("sweepBlobs", () => {
  it("deletes what is named nowhere, wherever a name can stand", async () => {
    const { store, clock } = temporary;
    const [message, fact, change, prefix, state, unused] = await Promise.all(
      ["message", "fact", "change", "prefix", "state", "unused"].map(put),
    );
    const image = {
      type: "image" as const,
      blob: { hash: message as string, size: 7, mediaType: "image/png" },
    };
    await store.createSession({ ...sampleStored("s1"), prefixHash: prefix as string }, [], 1);
    await store.commit(
      sampleCommit("s1", 0, {
        state: { phase: { type: "idle" }, queue: [{ blob: { hash: state as string } }] },
        session: sampleSession("s1", { head: "m" }),
        facts: [
          added({ ...sampleMessage("m", null), content: [image] }),
          {
            type: "call_changed",
            runId: "r",
            call: {
              id: "c",
              name: "bash",
              input: {},
              status: "done",
              finishedAt: 1,
              result: {
                type: "tool_result",
                callId: "c",
                status: "ok",
                content: [{ type: "text", text: "cut" }],
                full: { hash: fact as string, size: 4, mediaType: "text/plain" },
              },
            },
          },
          {
            type: "file_changed",
            change: {
              sessionId: "s1",
              runId: "r",
              callId: "c",
              path: "/p",
              before: change as string,
              after: null,
              mode: null,
              at: 1,
            },
          },
        ],
      }),
    );
    clock.now += HOUR + 1;
    expect(await store.sweepBlobs()).toEqual({ count: 1, bytes: 6 });
    expect(await read(unused as string)).toBeNull();
    for (const hash of [message, fact, change, prefix, state])
      expect(await read(hash as string)).not.toBeNull();

    await store.deleteSession("s1");
    expect((await store.sweepBlobs()).count).toBe(5);
    expect((await store.stats()).blobBytes).toBe(0);
  });

  it("leaves blobs alone for an hour after they were put, or put again", async () => {
    const { store, clock } = temporary;
    const first = await put("first");
    const second = await put("second");
    clock.now += HOUR - 1;
    expect((await store.sweepBlobs()).count).toBe(0);
    await put("second");
    clock.now += 2;
    expect(await store.sweepBlobs()).toEqual({ count: 1, bytes: 5 });
    expect(await read(first)).toBeNull();
    expect(await read(second)).toBe("second");
  });

  it("never takes a blob that is put while it runs", async () => {
    const { store, clock } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const facts = Array.from({ length: 1_000 }, (_, index) => added(sampleMessage(`m${index}`, null)));
    await store.commit(sampleCommit("s1", 0, { facts }));
    const hash = await put("in use again");
    clock.now += 2 * HOUR;
    const [swept] = await Promise.all([store.sweepBlobs(), put("in use again")]);
    expect(swept.count).toBe(0);
    expect(await read(hash)).toBe("in use again");
  });

  it("clears what dead writers left, and adopts files that the index does not know", async () => {
    const { store, clock } = temporary;
    const stray = sha256("stray");
    mkdirSync(join(root(), stray.slice(0, 2)));
    writeFileSync(fileOf(stray), "stray");
    const old = join(root(), "writing-0000");
    const young = join(root(), "writing-1111");
    for (const path of [old, young]) writeFileSync(path, "half");
    utimesSync(old, new Date(clock.now - 2 * HOUR), new Date(clock.now - 2 * HOUR));
    utimesSync(young, new Date(clock.now), new Date(clock.now));
    expect((await store.sweepBlobs()).count).toBe(0);
    expect(readdirSync(root()).sort()).toEqual([stray.slice(0, 2), "writing-1111"].sort());
    clock.now += HOUR + 1;
    expect(await store.sweepBlobs()).toEqual({ count: 1, bytes: 5 });
  });

  it("reports what it cannot read", async () => {
    if (process.geteuid?.() === 0) {
      // Root reads everything: a file in the place of the folder does as well.
      rmSync(root(), { recursive: true });
      writeFileSync(root(), "");
      expect(await temporary.store.sweepBlobs()).toEqual({ count: 0, bytes: 0 });
      return;
    }
    chmodSync(root(), 0);
    await expect(temporary.store.sweepBlobs()).rejects.toMatchObject({ code: "io" });
    chmodSync(root(), 0o700);
  });
});

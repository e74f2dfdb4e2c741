import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../adapter.ts";
import { loadDriver } from "../driver.ts";
import { added, sampleCommit, sampleMessage, sampleSession, sampleStored } from "../testing/samples.ts";
import { type TemporaryStore, temporaryStore } from "../testing/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(async () => {
  temporary = await temporaryStore();
});
afterEach(() => temporary.remove());

/** Adds a chain of messages below `parent` to a session that stands at `seq`. */
async function grow(sessionId: string, seq: number, parent: string | null, ids: string[]): Promise<void> {
  const facts = ids.map((id, index) => added(sampleMessage(id, ids[index - 1] ?? parent, sessionId)));
  const session = sampleSession(sessionId, { head: ids.at(-1) ?? parent });
  await temporary.store.commit(sampleCommit(sessionId, seq, { facts, session }));
}

const idsOf = async (head: string, until?: string): Promise<string[]> =>
  (await temporary.store.messageChain(head, until)).map((message) => message.id);

describe("messageChain", () => {
  it("goes from the root, or from what is known, to the head", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await grow("s1", 0, null, ["a", "b", "c", "d"]);
    await grow("s1", 4, "b", ["side"]);
    expect(await idsOf("d")).toEqual(["a", "b", "c", "d"]);
    expect(await idsOf("side")).toEqual(["a", "b", "side"]);
    expect(await idsOf("d", "b")).toEqual(["c", "d"]);
    expect(await idsOf("d", "d")).toEqual([]);
    expect(await idsOf("d", "side")).toEqual(["a", "b", "c", "d"]);
    await expect(store.messageChain("nothing")).rejects.toMatchObject({ code: "not_found" });
  });

  it("says so when the stored conversation has a hole", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await grow("s1", 0, "missing", ["a", "b"]);
    await expect(store.messageChain("b")).rejects.toMatchObject({ code: "corrupt" });
    expect(await idsOf("b", "a")).toEqual(["b"]);
  });

  it("holds for ten thousand messages", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const ids = Array.from({ length: 10_000 }, (_, index) => `m${index}`);
    await grow("s1", 0, null, ids);
    expect(await idsOf("m9999")).toEqual(ids);
    expect(await idsOf("m9999", "m9989")).toEqual(ids.slice(9_990));
  });
});

describe("messagesNaming", () => {
  it("finds what is named on the chain, newest first, and nothing beside it", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await grow("s1", 0, null, ["a-needle", "b", "c-needle"]);
    await grow("s1", 3, "b", ["side-needle"]);
    const found = async (head: string, text: string): Promise<string[]> =>
      (await store.messagesNaming(head, text)).map((message) => message.id);
    // A message names its parent too.
    expect(await found("c-needle", "needle")).toEqual(["c-needle", "b", "a-needle"]);
    expect(await found("side-needle", "c-needle")).toEqual([]);
    expect(await found("c-needle", "%")).toEqual([]);
    expect(await found("nothing", "needle")).toEqual([]);
  });
});

describe("deleteSession", () => {
  const messageRows = (): string[] => {
    const db = openDatabase(loadDriver(), temporary.file);
    const rows = db.all<{ id: string }>("SELECT id FROM messages ORDER BY id");
    db.close();
    return rows.map((row) => row.id);
  };

  it("deletes all that is the session's and nothing of others", async () => {
    const { store } = temporary;
    for (const id of ["s1", "s2"]) {
      await store.createSession(sampleStored(id), [], 1);
      await grow(id, 0, null, [`${id}-a`, `${id}-b`]);
      await store.commit(sampleCommit(id, 2, { command: { id: "c", answer: id } }));
    }
    expect(await store.deleteSession("s1")).toBe(true);
    expect(await store.deleteSession("s1")).toBe(false);
    expect(await store.loadSession("s1")).toBeNull();
    expect(await store.factsAfter("s1", 0, 10)).toEqual([]);
    expect(await store.commandAnswer("s1", "c")).toBeUndefined();
    expect(messageRows()).toEqual(["s2-a", "s2-b"]);
    expect((await store.factsAfter("s2", 0, 10)).length).toBe(3);
    expect(await store.commandAnswer("s2", "c")).toBe("s2");
  });

  it("leaves the messages on which a fork stands until the fork goes too", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await grow("s1", 0, null, ["a", "b", "c", "d"]);
    await store.createSession(sampleStored("fork", { head: "b" }), [], 1);
    await store.createSession(sampleStored("grown", { head: "c" }), [], 1);
    await grow("grown", 0, "c", ["e"]);
    // A fork of the fork that went back below what its origin added.
    await store.createSession(sampleStored("deep", { head: "e" }), [], 1);

    await store.deleteSession("s1");
    expect(messageRows()).toEqual(["a", "b", "c", "e"]);
    expect(await idsOf("b")).toEqual(["a", "b"]);
    await store.deleteSession("grown");
    expect(await idsOf("e")).toEqual(["a", "b", "c", "e"]);
    await store.deleteSession("deep");
    expect(messageRows()).toEqual(["a", "b"]);
    await store.deleteSession("fork");
    expect(messageRows()).toEqual([]);
  });

  it("takes the sessions of subagents along", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.createSession(sampleStored("child", { parentSessionId: "s1" }), [], 1);
    await store.createSession(sampleStored("grandchild", { parentSessionId: "child" }), [], 1);
    await store.createSession(sampleStored("s2"), [], 1);
    const session = sampleSession("grandchild", { head: "g", parentSessionId: "child" });
    const facts = [added(sampleMessage("g", null, "grandchild"))];
    await store.commit(sampleCommit("grandchild", 0, { facts, session }));
    await store.deleteSession("s1");
    const left = await store.listSessions({ limit: 10, includeChildren: true });
    expect(left.map((session) => session.id)).toEqual(["s2"]);
    expect(messageRows()).toEqual([]);
  });

  it("gives the space back", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.commit(
      sampleCommit("s1", 0, { facts: [added(sampleMessage("a", null, "s1", "x".repeat(3_000_000)))] }),
    );
    expect((await store.stats()).databaseBytes).toBeGreaterThan(3_000_000);
    await store.deleteSession("s1");
    await temporary.reopen();
    expect((await temporary.store.stats()).databaseBytes).toBeLessThan(500_000);
  });
});

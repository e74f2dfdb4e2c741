import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Fact } from "../protocol/event.ts";
import type { StoredSession } from "../protocol/store-port.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import {
  added,
  sampleApproval,
  sampleAudit,
  sampleCommit,
  sampleGrant,
  sampleMessage,
  sampleSession,
  sampleStored,
} from "./testing/samples.ts";
import { type TemporaryStore, temporaryStore } from "./testing/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(async () => {
  temporary = await temporaryStore();
});
afterEach(() => temporary.remove());

const change = (path: string): Fact => ({
  type: "file_changed",
  change: {
    sessionId: "s1",
    runId: "run-1",
    callId: "call-1",
    path,
    before: "a".repeat(64),
    after: null,
    mode: 0o644,
    at: 2_800,
  },
});

describe("sessions", () => {
  it("come back whole after a restart", async () => {
    const stored: StoredSession = {
      ...sampleStored("s1", {
        head: "m1",
        parentSessionId: "s0",
        parentRunId: "run-0",
        parentCallId: "call-0",
        status: "working",
        messageCount: 3,
        title: "Größe 😀\u0000'\ud800",
      }),
      state: { phase: { type: "calling_model", effectId: "e1" }, queue: [{ text: "é\u2028" }], none: null },
      prefixHash: "c".repeat(64),
    };
    const facts = await temporary.store.createSession(
      stored,
      [{ type: "session_created", session: stored.session }],
      1_234,
    );
    expect(facts).toEqual([
      { seq: 1, at: 1_234, fact: { type: "session_created", session: stored.session } },
    ]);
    const store = await temporary.reopen();
    expect(await store.loadSession("s1")).toEqual({ ...stored, seq: 1 });
    expect(await store.loadSession("s2")).toBeNull();
    expect(await store.listSessions({ limit: 10, includeChildren: true })).toEqual([stored.session]);
    expect(await store.factsAfter("s1", 0, 10)).toEqual(facts);
  });

  it("refuse an id that is taken, and keep the first", async () => {
    await temporary.store.createSession(sampleStored("s1"), [], 1);
    await expect(
      temporary.store.createSession(sampleStored("s1", { title: "other" }), [], 1),
    ).rejects.toMatchObject({ code: "seq_conflict" });
    expect((await temporary.store.loadSession("s1"))?.session.title).toBe("Session s1");
  });

  it("take a new prefix, environment and options", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.setPrefix("s1", "d".repeat(64));
    await store.setEnvironment("s1", { PATH: "/bin" });
    await store.setOptions("s1", { sandbox: "on", allowedTools: ["bash(ls)"] });
    expect(await store.loadSession("s1")).toMatchObject({
      prefixHash: "d".repeat(64),
      environment: { PATH: "/bin" },
      options: { sandbox: "on", allowedTools: ["bash(ls)"] },
    });
    await expect(store.setPrefix("s2", "d".repeat(64))).rejects.toMatchObject({ code: "not_found" });
    await expect(store.setEnvironment("s2", {})).rejects.toMatchObject({ code: "not_found" });
    await expect(store.setOptions("s2", { sandbox: "on" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("are unfinished unless their phase is idle", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.createSession(
      { ...sampleStored("s2"), state: { phase: { type: "needs_client", missing: "KEY" } } },
      [],
      1,
    );
    await store.createSession({ ...sampleStored("s3"), state: null }, [], 1);
    expect(await store.unfinishedSessions()).toEqual(["s2", "s3"]);
    await store.commit(sampleCommit("s1", 0, { state: { phase: { type: "running_tools" } } }));
    await store.commit(sampleCommit("s2", 0, { session: sampleSession("s2") }));
    expect((await store.unfinishedSessions()).sort()).toEqual(["s1", "s3"]);
  });
});

describe("commit", () => {
  it("numbers facts, and stores state, session and what the facts imply", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const message = sampleMessage("m1", null);
    const open = sampleApproval("a1");
    const facts: Fact[] = [
      added(message),
      { type: "approval_requested", approval: open },
      { type: "decision_recorded", audit: sampleAudit("first") },
      { type: "grant_added", grant: sampleGrant("npm test") },
      change("/srv/project/a.ts"),
    ];
    const session = sampleSession("s1", { head: "m1", messageCount: 1, updatedAt: 3_000, title: "new" });
    const numbered = await store.commit(
      sampleCommit("s1", 0, { facts, session, state: { phase: { type: "idle" }, n: 1 } }),
    );
    expect(numbered).toEqual(facts.map((fact, index) => ({ seq: index + 1, at: 3_000, fact })));

    const again = await temporary.reopen();
    expect(await again.factsAfter("s1", 0, 100)).toEqual(numbered);
    expect(await again.loadSession("s1")).toMatchObject({
      session,
      seq: 5,
      state: { phase: { type: "idle" }, n: 1 },
    });
    expect(await again.messageChain("m1")).toEqual([message]);
    expect(await again.approvals({ sessionId: "s1" })).toEqual([open]);
    expect(await again.audit({ sessionId: "s1", limit: 10 })).toEqual([sampleAudit("first")]);
    expect(await again.grants("s1")).toEqual([sampleGrant("npm test")]);
    expect(await again.fileChanges("s1")).toEqual([
      (change("/srv/project/a.ts") as { change: unknown }).change,
    ]);
  });

  it("refuses a writer that missed something, and writes nothing of it", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.commit(sampleCommit("s1", 0));
    const late = sampleCommit("s1", 0, {
      facts: [added(sampleMessage("m1", null))],
      command: { id: "c1", answer: 1 },
    });
    await expect(store.commit(late)).rejects.toMatchObject({ code: "seq_conflict" });
    await expect(store.commit({ ...late, expectedSeq: 2 })).rejects.toMatchObject({ code: "seq_conflict" });
    expect((await store.factsAfter("s1", 0, 10)).length).toBe(1);
    expect(await store.commandAnswer("s1", "c1")).toBeUndefined();
    await expect(store.messageChain("m1")).rejects.toMatchObject({ code: "not_found" });
    await expect(store.commit(sampleCommit("s9", 0))).rejects.toMatchObject({ code: "not_found" });
  });

  it("undoes everything when one part fails", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [added(sampleMessage("m1", null))], 1);
    const twice = sampleCommit("s1", 1, {
      facts: [added(sampleMessage("m2", "m1")), added(sampleMessage("m1", null))],
    });
    await expect(store.commit(twice)).rejects.toMatchObject({ code: "io" });
    await expect(store.messageChain("m2")).rejects.toMatchObject({ code: "not_found" });
    expect((await store.commit(sampleCommit("s1", 1, { facts: [] }))).length).toBe(0);
    expect((await store.loadSession("s1"))?.seq).toBe(1);
  });

  it("keeps the answer of a command, the first one, and the newest thousand", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const command = (id: string, answer: unknown) =>
      store.commit(sampleCommit("s1", 0, { facts: [], command: { id, answer: answer as never } }));
    await command("c1", { queued: true, list: [null, "x"] });
    await command("c1", "second");
    expect(await store.commandAnswer("s1", "c1")).toEqual({ queued: true, list: [null, "x"] });
    await command("c2", null);
    expect(await store.commandAnswer("s1", "c2")).toBeNull();
    expect(await store.commandAnswer("s2", "c2")).toBeUndefined();
    for (let index = 0; index < 999; index++) await command(`later-${index}`, index);
    expect(await store.commandAnswer("s1", "c1")).toBeUndefined();
    expect(await store.commandAnswer("s1", "c2")).toBeNull();
  });

  it("works for both kinds of durability in turn", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    for (let seq = 0; seq < 6; seq++) {
      await store.commit(sampleCommit("s1", seq, { durability: seq % 2 === 0 ? "full" : "normal" }));
    }
    expect((await (await temporary.reopen()).factsAfter("s1", 0, 10)).length).toBe(6);
  });
});

describe("facts", () => {
  it("are paged in both directions, oldest first", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.createSession(sampleStored("s2"), [added(sampleMessage("x", null, "s2"))], 1);
    for (let seq = 0; seq < 10; seq++) await store.commit(sampleCommit("s1", seq));
    const numbers = async (facts: Promise<{ seq: number }[]>) => (await facts).map((fact) => fact.seq);
    expect(await numbers(store.factsAfter("s1", 3, 2))).toEqual([4, 5]);
    expect(await numbers(store.factsAfter("s1", 8, Number.MAX_SAFE_INTEGER))).toEqual([9, 10]);
    expect(await numbers(store.factsBefore("s1", 4, 2))).toEqual([2, 3]);
    expect(await numbers(store.factsBefore("s1", Number.MAX_SAFE_INTEGER, 3))).toEqual([8, 9, 10]);
    expect(await numbers(store.factsBefore("s1", 1, 3))).toEqual([]);
    expect(await numbers(store.factsAfter("s3", 0, 3))).toEqual([]);
  });
});

describe("approvals and audit", () => {
  it("show an approval as it stands now", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const asked = [sampleApproval("a2"), sampleApproval("a1")];
    await store.commit(
      sampleCommit("s1", 0, { facts: asked.map((approval) => ({ type: "approval_requested", approval })) }),
    );
    const closed = sampleApproval("a2", { status: "denied", answer: { type: "deny" }, answeredAt: 5 });
    await store.commit(sampleCommit("s1", 2, { facts: [{ type: "approval_resolved", approval: closed }] }));
    expect(await store.approvals({ sessionId: "s1" })).toEqual([closed, asked[1]]);
    expect(await store.approvals({ sessionId: "s1", open: true })).toEqual([asked[1]]);
    expect(await store.approvals({ sessionId: "s1", open: false })).toEqual([closed]);
    expect(await store.approvals({ sessionId: "s2" })).toEqual([]);
  });

  it("page the audit rows", async () => {
    const { store } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    const facts: Fact[] = ["1", "2", "3", "4"].map((reason) => ({
      type: "decision_recorded",
      audit: sampleAudit(reason),
    }));
    await store.commit(sampleCommit("s1", 0, { facts }));
    const reasons = async (query: { limit: number; afterId?: number }) =>
      (await store.audit({ sessionId: "s1", ...query })).map((row) => row.reason);
    expect(await reasons({ limit: 2 })).toEqual(["3", "4"]);
    expect(await reasons({ limit: 2, afterId: 0 })).toEqual(["1", "2"]);
    expect(await reasons({ limit: 9, afterId: 3 })).toEqual(["4"]);
  });
});

describe("the write-ahead log", () => {
  it("is written back once the session is idle", async () => {
    const { store, file } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.commit(sampleCommit("s1", 0, { state: { phase: { type: "running_tools" } } }));
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    await store.commit(sampleCommit("s1", 1));
    await expect.poll(() => statSync(`${file}-wal`).size, { timeout: 15_000 }).toBe(0);
    expect((await store.loadSession("s1"))?.seq).toBe(2);
  });
});

describe("stats", () => {
  it("counts sessions and bytes", async () => {
    const { store, file } = temporary;
    await store.createSession(sampleStored("s1"), [], 1);
    await store.putBlob(Buffer.from("12345"), "text/plain");
    const stats = await store.stats();
    expect(stats).toMatchObject({ sessions: 1, blobBytes: 5, schemaVersion: MIGRATIONS.length });
    expect(stats.databaseBytes).toBeGreaterThanOrEqual(statSync(file).size);
  });

  it("rejects after the close, which may be repeated", async () => {
    const { store } = temporary;
    await store.close();
    await store.close();
    await expect(store.stats()).rejects.toMatchObject({ code: "io" });
  });
});

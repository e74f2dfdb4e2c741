import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Effect } from "../../engine/effect.ts";
import { initialState } from "../../engine/initial.ts";
import type { Input } from "../../engine/input.ts";
import { transition } from "../../engine/transition.ts";
import type { Json } from "../../protocol/ids.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { Store } from "../../protocol/store-port.ts";
import { AppError } from "../../shared/error.ts";
import { uuidv7 } from "../../shared/uuid.ts";
import { openStore } from "../../store/open.ts";
import { SessionActor } from "./session-actor.ts";

const INFO: SessionInfo = {
  id: "s1",
  title: "",
  cwd: "/w",
  roots: ["/w"],
  model: "anthropic/m",
  mode: "ask",
  status: "idle",
  head: null,
  parentSessionId: null,
  parentRunId: null,
  parentCallId: null,
  sandbox: "on",
  usage: { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null },
  messageCount: 0,
  createdAt: 1,
  updatedAt: 1,
};
const prompt = (text: string): Input => ({
  type: "prompt",
  commandId: `c-${text}`,
  promptId: uuidv7(Date.now()),
  content: [{ type: "text", text }],
  delivery: "queue",
  settings: {
    interactive: false,
    boundTo: null,
    limits: { maxSteps: null, maxToolCalls: null, maxTokens: null, maxCostUsd: null, maxSeconds: null },
  },
});
const command = (id: string, answer: Json = { n: 1 }) => ({ id, answer: () => answer });

let folder: string;
let store: Store;
let log: string[];
let effects: Effect[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lathe-actor-"));
  store = await openStore({ dir: folder, now: Date.now });
  log = [];
  effects = [];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function actor(broken: Partial<Store> = {}): Promise<SessionActor> {
  const state = initialState({ sessionId: "s1", model: INFO.model, mode: INFO.mode });
  const stored = {
    session: INFO,
    state: state as unknown as Json,
    seq: 0,
    environment: {},
    prefixHash: null,
  };
  await store.createSession({ ...stored, options: { sandbox: "on" } }, [], 1);
  const noting: Store = {
    ...store,
    commit: async (commit) => {
      const facts = await store.commit(commit);
      log.push("commit");
      return facts;
    },
    ...broken,
  };
  return new SessionActor(
    { state, session: INFO, seq: 0 },
    {
      store: noting,
      transition,
      clock: { now: Date.now },
      ids: { next: () => uuidv7(Date.now()) },
      random: () => 0.5,
      publish: () => void log.push("publish"),
      startEffect(effect) {
        log.push(`effect ${effect.type}`);
        effects.push(effect);
      },
      halted: (error) => void log.push(`halted ${(error as AppError).code}`),
    },
  );
}

describe("an input", () => {
  it("is committed, then published, then its effects start", async () => {
    const one = await actor();
    const { facts } = await one.submit(prompt("hello"));
    expect(log).toEqual(["commit", "publish", "effect call_model"]);
    expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, index) => index + 1));
    expect(one.seq).toBe(facts.length);
    expect(one.busy).toBe(true);
    expect((await store.loadSession("s1"))?.session).toMatchObject({ title: "hello", status: "working" });
  });

  it("waits for the one before it, and one that changes nothing is not committed", async () => {
    const one = await actor();
    const both = [one.submit(prompt("a")), one.submit(prompt("b"))];
    const [first, second] = await Promise.all(both);
    expect(second?.facts[0]?.seq).toBe((first?.facts.at(-1)?.seq ?? 0) + 1);
    log = [];
    expect(await one.submit({ type: "timer_fired", effectId: "none" })).toEqual({ facts: [], answer: null });
    expect(log).toEqual([]);
  });
});

describe("a command", () => {
  it("is carried out once, also when its repeat comes before the first is stored", async () => {
    const one = await actor();
    const input = prompt("a");
    const [first, repeat] = await Promise.all([
      one.submit(input, command("c1", { n: 1 })),
      one.submit({ ...input, promptId: uuidv7(Date.now()) } as Input, command("c1", { n: 2 })),
    ]);
    expect(first?.answer).toEqual({ n: 1 });
    expect(repeat).toEqual({ facts: [], answer: { n: 1 } });
    expect(log.filter((entry) => entry === "commit")).toHaveLength(1);
    expect(one.state.queue).toEqual([]);
  });

  it("is answered from the state that it met", async () => {
    const one = await actor();
    const queued = {
      id: "q",
      answer: ({ state }: { state: { phase: { type: string } } }) => state.phase.type,
    };
    expect((await one.submit(prompt("a"), queued)).answer).toBe("idle");
    expect((await one.submit(prompt("b"), { ...queued, id: "q2" })).answer).toBe("calling_model");
  });
});

it("stopped, it finishes what is in hand and takes nothing more", async () => {
  const one = await actor();
  const inHand = one.submit(prompt("a"));
  const waiting = one.submit(prompt("b"));
  await one.stop();
  expect((await inHand).facts.length).toBeGreaterThan(0);
  await expect(waiting).rejects.toMatchObject({ code: "stopping" });
  await expect(one.submit(prompt("c"))).rejects.toMatchObject({ code: "stopping" });
  expect(log).toEqual(["commit", "publish", "effect call_model"]);
  expect((await store.loadSession("s1"))?.session.status).toBe("working");
});

it("a commit that fails halts: nothing is published or started, and all that waits is refused", async () => {
  const one = await actor({ commit: () => Promise.reject(new AppError("no_space", "the disk is full")) });
  const waiting = [one.submit(prompt("a")), one.submit(prompt("b"))];
  for (const result of await Promise.allSettled(waiting)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "no_space" } });
  }
  await expect(one.submit(prompt("c"))).rejects.toMatchObject({ code: "no_space" });
  one.post({ type: "timer_fired", effectId: "x" });
  expect(log).toEqual(["halted no_space"]);
  expect(effects).toEqual([]);
  expect(one.seq).toBe(0);
  expect((await store.loadSession("s1"))?.seq).toBe(0);
});

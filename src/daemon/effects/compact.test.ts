import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { RecordedRequest, Script, Turn } from "../../demo/scripted-model/types.ts";
import type { Message } from "../../protocol/message.ts";
import { type DaemonLab, type LabClient, openDaemonLab, type Walls } from "../testing/daemon-lab.ts";

let lab: DaemonLab;
afterEach(() => lab.close());

const isAsk = (request: RecordedRequest | undefined): boolean =>
  request?.raw.includes("Write it now:") ?? false;
const sent = (): string => lab.model.requests.at(-1)?.raw.toString("utf8") ?? "";
const asks = (): RecordedRequest[] => lab.model.requests.filter(isAsk);
const times = (where: string, what: string): number => where.split(what).length - 1;
const big = { usage: { input: 60_000, output: 5 } };
const bash = (command: string, more: Partial<Turn> = {}): Turn => {
  return { calls: [{ name: "bash", input: { command } }], ...more };
};

/** Commands answer with their own text, over and over. */
const echo: Walls = async ({ command }) => {
  const text = `${command} `.repeat(200);
  return { stdout: { text, totalBytes: text.length, cut: false } };
};

async function open(script: Script): Promise<{ client: LabClient; id: string }> {
  lab = await openDaemonLab(script, echo);
  const client = lab.client();
  return { client, id: await client.session({ mode: "bypass" }) };
}

/** Asks for a compaction and waits for its end. */
async function compactNow(client: LabClient, sessionId: string, focus?: string): Promise<Message | null> {
  const commandId = `compact-${client.facts.length}`;
  await client.call("session.compact", { sessionId, commandId, ...(focus === undefined ? {} : { focus }) });
  await client.until("phase_changed", (fact) => fact.phase === "idle");
  const last = client.facts.findLast(({ fact }) => fact.type === "message_added" || fact.type === "notice");
  return last?.fact.type === "message_added" && last.fact.message.kind === "summary"
    ? last.fact.message
    : null;
}

const messagesIn = (request: RecordedRequest | undefined): unknown[] => {
  const plain = JSON.stringify(request?.body, (key, value) => (key === "cache_control" ? undefined : value));
  return JSON.parse(plain).messages;
};

test("on request, with a focus: the next prompt stands on the summary", async () => {
  const { client, id } = await open([
    bash("one"),
    bash("two"),
    { text: "first done" },
    { text: "SUMMARY-S" },
    { text: "second done" },
  ]);
  await client.turn(id, "TASK-7421");
  await client.until("phase_changed", (fact) => fact.phase === "idle");
  const before = await client.call("session.context", { sessionId: id });
  const summary = await compactNow(client, id, "the tests");
  expect(sent()).toContain("Focus on: the tests");
  expect(summary).toMatchObject({
    cut: { type: "compacted", trigger: "manual", prompts: [{ text: "TASK-7421" }] },
  });
  const after = await client.call("session.context", { sessionId: id });
  expect(after.used).toBeLessThan(before.used);
  expect(before).toMatchObject({ window: null, compactsAt: 50_000, measured: true });
  expect(await client.turn(id, "go on")).toMatchObject({ text: "second done" });
  expect(sent()).toContain("SUMMARY-S");
  expect(times(sent(), "TASK-7421")).toBe(1);
  expect(sent()).not.toContain("two two");
});

test("the model compacts with its own tool, and the plan stays in sight", async () => {
  const { client, id } = await open([
    {
      calls: [
        { name: "todo", input: { items: [{ id: "t1", text: "write the parser", status: "in_progress" }] } },
      ],
    },
    { calls: [{ name: "task_create", input: { subject: "release it" } }] },
    bash("two"),
    { calls: [{ name: "compact", input: { focus: "the parser" } }] },
    { text: "SUMMARY-S" },
    { text: "done" },
  ]);
  expect(await client.turn(id, "TASK-7421")).toMatchObject({ text: "done" });
  expect(asks()).toHaveLength(1);
  expect(asks()[0]?.raw.toString("utf8")).toContain("Focus on: the parser");
  for (const mark of [
    "SUMMARY-S",
    "TASK-7421",
    "t1 (in_progress): write the parser",
    "#1 (pending): release it",
  ]) {
    expect([mark, times(sent(), mark)]).toEqual([mark, 1]);
  }
  expect(sent()).toContain("Compressing...");
});

test("it is refused while a turn runs, and says when there is nothing to do", async () => {
  const { client, id } = await open([{ text: "hello", hold: "end" }]);
  await client.call("session.compact", { sessionId: id, commandId: "c1" });
  expect(await client.until("notice")).toMatchObject({
    code: "compact",
    text: "There is nothing to compact yet.",
  });
  const finished = client.turn(id, "hi");
  await lab.model.waitForRequest(1, 5000);
  await expect(client.call("session.compact", { sessionId: id, commandId: "c2" })).rejects.toMatchObject({
    code: "busy",
  });
  lab.model.release();
  await finished;
  await client.until("phase_changed", (fact) => fact.phase === "idle");
  expect(await compactNow(client, id)).toBeNull();
  expect(await client.until("notice")).toMatchObject({
    text: expect.stringContaining("nothing to compact yet"),
  });
  expect(lab.model.requests).toHaveLength(1);
});

test("constraints survive ten compactions whose summaries forget everything", async () => {
  let replies = 0;
  const { client, id } = await open((request) => {
    if (isAsk(request)) return { text: "Things were done." };
    replies += 1;
    return replies % 2 === 1 ? bash(`step ${replies}`) : { text: `answer ${replies}` };
  });
  await client.turn(id, "ORIGINAL: build the thing, word for word");
  await client.until("phase_changed", (fact) => fact.phase === "idle");
  const constraints: string[] = [];
  for (let round = 0; round < 10; round++) {
    for (const half of [1, 2]) {
      const constraint = `never touch file-${round}-${half}.txt`;
      constraints.push(constraint);
      const padding = "some words that say nothing in particular ".repeat(60);
      await client.turn(id, `please look here\n${constraint}\n${padding}`);
      await client.until("phase_changed", (fact) => fact.phase === "idle");
    }
    expect(await compactNow(client, id)).not.toBeNull();
  }
  await client.turn(id, "what now?");
  const text = sent();
  expect(asks()).toHaveLength(10);
  expect(times(text, "ORIGINAL: build the thing, word for word")).toBe(1);
  for (const constraint of constraints)
    expect([constraint, text.includes(constraint)]).toEqual([constraint, true]);
  expect(lab.model.problems).toEqual([]);
});

test("files that were changed and what the user granted are told, whatever the summary says", async () => {
  const { client, id } = await open([
    { calls: [{ name: "write_file", input: { path: "a.txt", content: "one\n" } }] },
    { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: "one", new_text: "two" } }] },
    { calls: [{ name: "delete_file", input: { path: "a.txt" } }] },
    { calls: [{ name: "write_file", input: { path: "b.txt", content: "b\n" } }] },
    bash("echo last", big),
    { text: "nothing" },
    { text: "done" },
  ]);
  const runtime = await lab.hub.get(id);
  const rule = {
    effect: "allow" as const,
    tool: "bash",
    match: "npm test",
    scope: "session" as const,
    source: "x",
  };
  runtime.grants.push({ rule, scope: "task", grantedAt: 1, by: "lab" });
  expect(await client.turn(id, "go")).toMatchObject({ text: "done" });
  expect(asks()).toHaveLength(1);
  for (const fact of ["a.txt: created and deleted again", "b.txt: created", "bash(npm test)"]) {
    expect(sent()).toContain(fact);
  }
});

test("what was dropped can be read back by id, in the same turn and after a restart", async () => {
  let id0 = "";
  const { client, id } = await open((request, index) => {
    if (isAsk(request)) return { text: "SUMMARY-S" };
    if (index === 3) return bash("fourth", big);
    if (index === 5 || index === 7) return { calls: [{ name: "recall_result", input: { id: id0 } }] };
    return index < 3 ? bash(`step-${index}`) : { text: `end ${index}` };
  });
  const finished = client.turn(id, "go");
  const first = await client.until("call_changed", (fact) => fact.call.status === "done");
  id0 = first.call.id;
  expect(await finished).toMatchObject({ outcome: { type: "done" } });
  const told = lab.model.requests[5]?.raw.toString("utf8") ?? "";
  expect(told).not.toContain("step-0 step-0");
  expect(sent()).toContain("step-0 step-0");
  const before = messagesIn(lab.model.requests.at(-1));
  await lab.restart();
  const again = lab.client("again");
  const context = {
    environment: { ANTHROPIC_BASE_URL: lab.model.url },
    credentials: { ANTHROPIC_API_KEY: "k" },
  };
  await again.call("session.open", { sessionId: id, context });
  await again.turn(id, "once more");
  const after = messagesIn(lab.model.requests[7]);
  expect(after.slice(0, before.length)).toEqual(before);
  // Only what the newest compaction kept was loaded.
  expect((await lab.hub.get(id)).history[0]).not.toMatchObject({ kind: "prompt", parentId: null });
  expect(times(sent(), "step-0 step-0")).toBeGreaterThan(1);
  expect(lab.model.problems).toEqual([]);
});

test("a fork stands on the same summary; one from before it on the whole history", async () => {
  const { client, id } = await open([
    bash("one"),
    bash("two", big),
    { text: "SUMMARY-S" },
    { text: "done" },
    { text: "forked" },
    { text: "from before" },
  ]);
  await client.turn(id, "TASK-7421");
  const compacted = messagesIn(lab.model.requests.at(-1));
  const { session } = await client.call("session.fork", { sessionId: id });
  await client.call("session.open", { sessionId: session.id });
  const context = {
    environment: { ANTHROPIC_BASE_URL: lab.model.url },
    credentials: { ANTHROPIC_API_KEY: "k" },
  };
  await client.call("session.open", { sessionId: session.id, context });
  await client.turn(session.id, "go on");
  expect(messagesIn(lab.model.requests.at(-1)).slice(0, compacted.length)).toEqual(compacted);
  const chain = await lab.store.messageChain((await lab.hub.get(id)).actor.state.head ?? "");
  const early = chain.find((message) => message.kind === "tool_results");
  const old = await client.call("session.fork", { sessionId: id, at: early?.id ?? "", context });
  await client.call("session.open", { sessionId: old.session.id, context });
  await client.turn(old.session.id, "otherwise");
  expect(sent()).toContain("one one");
  expect(sent()).not.toContain("SUMMARY-S");
});

test("a deleted session leaves no transcript behind", async () => {
  const { client, id } = await open([bash("one"), bash("two", big), { text: "SUMMARY-S" }, { text: "done" }]);
  await client.turn(id, "TASK-7421");
  const folder = join(lab.folders.paths.stateDir, "transcripts");
  expect(readdirSync(folder)).toHaveLength(1);
  expect(times(sent(), "The permission mode is bypass")).toBe(1);
  client.close();
  await client.call("session.close", { sessionId: id });
  expect(await client.call("session.delete", { sessionId: id })).toEqual({ deleted: true });
  expect(readdirSync(folder)).toEqual([]);
});

test("an interrupt in mid-summary leaves everything as it was", async () => {
  const { client, id } = await open([
    bash("one"),
    bash("two", big),
    { text: "SUMMARY", hold: "end" },
    { text: "on" },
  ]);
  const finished = client.turn(id, "TASK-7421");
  await lab.model.waitForRequest(3, 5000);
  await client.call("session.interrupt", { sessionId: id, commandId: "stop", by: "user" });
  expect(await finished).toMatchObject({ outcome: { type: "interrupted" } });
  expect(
    client.facts.some(({ fact }) => fact.type === "message_added" && fact.message.kind === "summary"),
  ).toBe(false);
  const runtime = await lab.hub.get(id);
  while (runtime.running.size > 0) await new Promise((done) => setTimeout(done, 5));
  expect(readdirSync(join(lab.folders.paths.stateDir, "transcripts"))).toEqual([]);
});

test("when not even the summary's request fits, older steps go without one, with a note and their ids", async () => {
  const { client, id } = await open((request, index) => {
    if (index < 4) return bash(`step-${index}`);
    if (request.raw.includes("left out without a summary")) return { text: "done" };
    return { error: { status: 400, type: "invalid_request_error", message: "prompt is too long: 9 > 8" } };
  });
  expect(await client.turn(id, "TASK-7421")).toMatchObject({ outcome: { type: "done" }, text: "done" });
  const text = sent();
  const calls = client.facts.flatMap(({ fact }) =>
    fact.type === "call_changed" && fact.call.status === "done" ? [fact.call.id] : [],
  );
  for (const call of calls.slice(0, 3)) expect(text).toContain(`bash, id ${call}`);
  expect(times(text, "TASK-7421")).toBe(1);
  const bodies = lab.model.requests.map((request) => request.raw.toString("utf8"));
  expect(new Set(bodies).size).toBe(bodies.length);
  const folder = join(lab.folders.paths.stateDir, "transcripts");
  const [name = ""] = readdirSync(folder);
  const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).kind)[0]).toBe("prompt");
});

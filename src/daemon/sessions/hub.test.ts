import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Turn } from "../../demo/scripted-model/types.ts";
import { AppError } from "../../shared/error.ts";
import { type DaemonLab, openDaemonLab, type Walls } from "../testing/daemon-lab.ts";

let lab: DaemonLab;
afterEach(() => lab.close());
const open = async (turns: Turn[], walls?: Walls) => {
  lab = await openDaemonLab(turns, walls);
  return lab.client();
};
const context = () => ({
  environment: { ANTHROPIC_BASE_URL: lab.model.url },
  credentials: { ANTHROPIC_API_KEY: "k" },
});
const tempFolders = (): string[] => readdirSync(lab.folders.paths.tmpDir);
/** Waits until a condition holds that no fact tells of. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 5));
}

describe("a session that nobody watches", () => {
  it("is put away when it is idle, with its temp folder, and comes back when it is wanted", async () => {
    const client = await open([{ text: "one" }, { text: "two" }]);
    const id = await client.session();
    await client.turn(id, "hi");
    expect(tempFolders()).toEqual([id]);
    expect(await lab.hub.release(id)).toBe(false);
    await client.call("session.close", { sessionId: id });
    expect(tempFolders()).toEqual([]);
    expect(lab.hub.loaded()).toEqual([]);
    await client.call("session.open", { sessionId: id, context: context() });
    expect(tempFolders()).toEqual([id]);
    expect(await client.turn(id, "again")).toMatchObject({ text: "two" });
  });

  it("works on when its client leaves in mid-turn, and is put away at the end", async () => {
    const client = await open([{ text: "done", hold: "end" }]);
    const id = await client.session();
    await client.prompt(id, "go");
    await lab.model.waitForRequest(1, 5000);
    client.close();
    expect(lab.hub.loaded()).toHaveLength(1);
    lab.model.release();
    await eventually(() => lab.hub.loaded().length === 0 && tempFolders().length === 0);
    expect((await lab.store.loadSession(id))?.session).toMatchObject({ status: "idle", messageCount: 2 });
  });

  it("that is wanted while it is put away is loaded anew, and keeps its folder", async () => {
    const client = await open([]);
    const id = await client.session();
    const closing = client.call("session.close", { sessionId: id });
    const again = lab.hub.get(id);
    await closing;
    const runtime = await again;
    expect(existsSync(runtime.place.tmp)).toBe(true);
    expect(lab.hub.loaded()).toEqual([runtime]);
  });
});

it("a turn that was cut off by the daemon's end goes on in the next daemon, once its client is back", async () => {
  const client = await open([
    { calls: [{ name: "bash", input: { command: "make" } }] },
    { text: "never", hold: "request" },
    { text: "finished" },
  ]);
  const id = await client.session({ mode: "auto" });
  await client.prompt(id, "go");
  await lab.model.waitForRequest(2, 5000);
  await lab.restart();
  const later = lab.client();
  expect(await lab.store.unfinishedSessions()).toEqual([id]);
  await later.call("session.open", { sessionId: id, context: context() });
  expect(await later.until("turn_finished")).toMatchObject({ outcome: { type: "done" }, text: "finished" });
});

it("a command that ran when the daemon ended is answered as unknown, not run again", async () => {
  let runs = 0;
  const client = await open(
    [{ calls: [{ name: "bash", input: { command: "deploy" } }] }, { text: "finished" }],
    (spec) => {
      runs += 1;
      return new Promise((done) => spec.signal.addEventListener("abort", () => done({ interrupted: true })));
    },
  );
  const id = await client.session({ mode: "auto" });
  await client.prompt(id, "go");
  await eventually(() => runs === 1);
  await lab.restart();
  const later = lab.client();
  await later.call("session.open", { sessionId: id, context: context() });
  await later.until("turn_finished");
  expect(runs).toBe(1);
  expect(JSON.stringify(lab.model.requests.at(-1)?.body)).toMatch(/unknown|interrupted/i);
});

it("what was read before a restart can be edited after it, and what changed meanwhile cannot", async () => {
  const edit = { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: "one", new_text: "two" } }] };
  const client = await open([
    { calls: [{ name: "read_file", input: { path: "a.txt" } }] },
    { text: "read" },
    edit,
    { text: "edited" },
    edit,
    { text: "refused" },
  ]);
  const file = lab.folders.write("a.txt", "one\n");
  const id = await client.session({ mode: "auto" });
  await client.turn(id, "read it");
  await lab.restart();
  const later = lab.client();
  await later.call("session.open", { sessionId: id, context: context() });
  await later.turn(id, "edit it");
  expect(JSON.stringify(lab.model.requests[3]?.body)).toContain("Edited a.txt");
  writeFileSync(file, "one more\n");
  await later.turn(id, "edit it again");
  expect(JSON.stringify(lab.model.requests[5]?.body)).toContain("changed");
});

describe("settings", () => {
  it("count at the next prompt, a broken file keeps the last good ones and says so", async () => {
    const call = { calls: [{ name: "bash", input: { command: "make" } }] };
    const client = await open([call, { text: "a" }, call, { text: "b" }]);
    const id = await client.session({ mode: "auto" });
    lab.folders.write(
      lab.folders.paths.configFile,
      '{"permissions": {"deny": ["Bash(make)"]}, "sandbox": {"denyRead": ["hidden.txt"]}}',
    );
    expect((await client.turn(id, "go")).denials).toHaveLength(1);
    expect((await lab.hub.get(id)).policy.denyRead).toContain("hidden.txt");
    lab.folders.write(lab.folders.paths.configFile, "{");
    expect((await client.turn(id, "go")).denials).toHaveLength(1);
    const notices = client.facts.flatMap(({ fact }) => (fact.type === "notice" ? [fact.text] : []));
    expect(notices.join()).toContain("stay in force");
  });

  it("changed by one client are seen by the other; an unknown model is refused", async () => {
    const a = await open([]);
    const id = await a.session();
    const b = lab.client("second");
    await b.call("session.open", { sessionId: id });
    const { session } = await a.call("session.update", {
      sessionId: id,
      commandId: "u",
      mode: "auto",
      title: "New",
    });
    expect(session).toMatchObject({ mode: "auto", title: "New" });
    expect(await b.until("session_changed")).toMatchObject({ mode: "auto", title: "New" });
    await expect(
      a.call("session.update", { sessionId: id, commandId: "v", model: "anthropic/" }),
    ).rejects.toMatchObject({ code: "no_model" });
    expect((await lab.hub.get(id)).actor.state.model).toBe("anthropic/scripted-model");
  });

  it("rules by flag replace those of before and outlive the daemon", async () => {
    const client = await open([]);
    const id = await client.session({ options: { allowedTools: ["Bash(a)"] } });
    await client.call("session.update", { sessionId: id, commandId: "u", allowedTools: ["Bash(b)"] });
    await expect(
      client.call("session.update", { sessionId: id, commandId: "v", allowedTools: ["Bash(b"] }),
    ).rejects.toMatchObject({ code: "bad_input" });
    await lab.restart();
    const rules = (await lab.hub.get(id)).settings.rules;
    expect(rules).toMatchObject([{ effect: "allow", tool: "bash", match: "b", scope: "flag" }]);
  });
});

it("a halted session tells its watchers, and the next use loads what was committed", async () => {
  const client = await open([{ text: "ok" }]);
  const id = await client.session();
  const runtime = await lab.hub.get(id);
  const { store } = lab.ports.effects;
  const { commit } = store;
  store.commit = () => Promise.reject(new AppError("no_space", "the disk is full"));
  await expect(client.prompt(id, "go")).rejects.toMatchObject({ code: "no_space" });
  store.commit = commit;
  expect(lab.hub.loaded()).toEqual([]);
  await client.call("session.open", { sessionId: id, context: context() });
  expect(await lab.hub.get(id)).not.toBe(runtime);
  expect(await client.turn(id, "go")).toMatchObject({ text: "ok" });
});

describe("what is kept of a client", () => {
  it("never holds keys, headers or passwords of URLs", async () => {
    const client = await open([]);
    const { session } = await client.call("session.create", {
      cwd: lab.cwd,
      model: "anthropic/scripted-model",
      options: { sandbox: "on" },
      context: {
        environment: {
          PATH: "/bin",
          ANTHROPIC_CUSTOM_HEADERS: "x-key: s3cret",
          HTTPS_PROXY: "http://me:s3cret@proxy.test",
          HTTP_PROXY: "http://proxy.test",
        },
        credentials: { ANTHROPIC_API_KEY: "s3cret" },
      },
    });
    const stored = await lab.store.loadSession(session.id);
    expect(stored?.environment).toEqual({ PATH: "/bin", HTTP_PROXY: "http://proxy.test" });
    expect(JSON.stringify(stored)).not.toContain("s3cret");
    expect((await lab.hub.get(session.id)).environment.HTTPS_PROXY).toContain("s3cret");
  });
});

it("deleting a session that is open elsewhere is refused; afterwards nothing of it is left", async () => {
  const client = await open([{ calls: [{ name: "read_file", input: { path: "a.txt" } }] }, { text: "ok" }]);
  lab.folders.write("a.txt", "x\n");
  const id = await client.session();
  await client.turn(id, "go");
  const other = lab.client("other");
  await expect(other.call("session.delete", { sessionId: id })).rejects.toMatchObject({ code: "busy" });
  client.close();
  await eventually(() => lab.hub.loaded().length === 0);
  expect(existsSync(join(lab.ports.folders.ledgers, `${id}.json`))).toBe(true);
  expect(await other.call("session.delete", { sessionId: id })).toEqual({ deleted: true });
  expect(readdirSync(lab.ports.folders.ledgers)).toEqual([]);
  await expect(lab.hub.get(id)).rejects.toMatchObject({ code: "not_found" });
});

it("the turn of a client that must stay is interrupted once it is gone; another client's is not", async () => {
  const client = await open([{ text: "one", hold: "end" }]);
  const id = await client.session();
  const watcher = lab.client("watcher");
  await watcher.call("session.open", { sessionId: id });
  await client.call("session.prompt", {
    sessionId: id,
    commandId: "p",
    content: [{ type: "text", text: "go" }],
    interactive: false,
    boundToClient: true,
  });
  await lab.model.waitForRequest(1, 5000);
  client.close();
  expect(await watcher.until("turn_finished")).toMatchObject({
    outcome: { type: "interrupted", by: "client_gone" },
  });
});

it("an effect that breaks is answered: the turn goes on, and its user is told", async () => {
  const client = await open([{ calls: [{ name: "bash", input: { command: "ls" } }] }, { text: "end" }]);
  const id = await client.session();
  const runtime = await lab.hub.get(id);
  Object.defineProperty(runtime, "batch", {
    get: () => [],
    set(calls: unknown[]) {
      if (calls.length > 0) throw new Error("a bug");
    },
  });
  expect(await client.turn(id, "go")).toMatchObject({ text: "end" });
  expect(await client.until("notice")).toMatchObject({
    level: "error",
    text: expect.stringContaining("a bug"),
  });
  expect(JSON.stringify(lab.model.requests.at(-1)?.body)).toContain("was not prepared");
});

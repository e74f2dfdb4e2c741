import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DaemonLab, type LabClient, openDaemonLab } from "../../testing/daemon-lab.ts";

let lab: DaemonLab;
let client: LabClient;
beforeEach(async () => {
  lab = await openDaemonLab(() => ({ text: "ok" }));
  client = lab.client();
});
afterEach(() => lab.close());
const context = () => ({
  environment: { ANTHROPIC_BASE_URL: lab.model.url },
  credentials: { ANTHROPIC_API_KEY: "k" },
});

describe("the daemon itself", () => {
  it("refuses a client of another protocol, and says how to mend it", async () => {
    const hello = { protocolVersion: 99, client: { name: "x", version: "1" } };
    await expect(client.call("initialize", hello)).rejects.toMatchObject({
      code: "protocol_version",
      message: expect.stringContaining("lathe daemon stop"),
    });
  });

  it("tells its parts, and does not stop while a session works unless it is forced", async () => {
    const id = await client.session();
    const status = await client.call("daemon.status", {});
    expect(status.parts.map((part) => [part.name, part.ok])).toEqual([
      ["server", true],
      ["sessions", true],
      ["store", true],
      ["sandbox", true],
      ["models", true],
    ]);
    expect(status.sessions).toEqual({ open: 1, working: 0 });
    await lab.model.close();
    await client.prompt(id, "go");
    expect(await client.call("daemon.stop", {})).toEqual({ stopping: false, working: 1 });
    expect(await client.call("daemon.stop", { force: true })).toEqual({ stopping: true, working: 1 });
  });

  it("examines every part, and names what fails with the way to mend it", async () => {
    const good = await client.call("daemon.doctor", { cwd: lab.cwd, context: context() });
    expect(good.checks.filter((check) => check.status === "failed")).toEqual([]);
    expect(good.checks).toContainEqual({
      name: "model",
      status: "ok",
      detail: expect.stringContaining("anthropic/"),
    });
    lab.folders.write(lab.folders.paths.configFile, '{\n "model": 7 }');
    const bad = await client.call("daemon.doctor", {
      cwd: lab.cwd,
      context: { environment: { ANTHROPIC_MODEL: "claude-x" }, credentials: {} },
    });
    expect(bad.checks).toContainEqual({
      name: "config",
      status: "failed",
      detail: expect.stringContaining("config.json:2:"),
      mend: expect.any(String),
    });
    expect(bad.checks.find((check) => check.name === "model")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
  });
});

describe("stored sessions", () => {
  it("are listed, paged, exported, copied in the middle", async () => {
    const id = await client.session();
    await client.turn(id, "first prompt");
    await client.turn(id, "second prompt");
    const { sessions } = await client.call("session.list", { cwd: lab.cwd, search: "first" });
    expect(sessions).toMatchObject([{ id, title: "first prompt", messageCount: 4 }]);
    expect((await client.call("session.list", { cwd: "/nowhere" })).sessions).toEqual([]);

    const all = (await client.call("session.facts", { sessionId: id })).facts;
    const newest = (
      await client.call("session.facts", { sessionId: id, beforeSeq: all.length + 1, limit: 3 })
    ).facts;
    expect(newest).toEqual(all.slice(-3));
    expect((await client.call("session.facts", { sessionId: id, afterSeq: 2, limit: 2 })).facts).toEqual(
      all.slice(2, 4),
    );

    const { export: exported } = await client.call("session.export", { sessionId: id });
    const messages = exported.messages as { id: string; kind: string }[];
    expect(messages.map((message) => message.kind)).toEqual(["prompt", "reply", "prompt", "reply"]);

    const at = messages[1]?.id;
    const { session: fork } = await client.call("session.fork", { sessionId: id, at, context: context() });
    expect(fork).toMatchObject({ head: at, title: "first prompt (fork)", usage: { input: null } });
    await client.call("session.open", { sessionId: fork.id });
    await client.turn(fork.id, "another way");
    const body = JSON.stringify(lab.model.requests.at(-1)?.body);
    expect(body).toContain("first prompt");
    expect(body).not.toContain("second prompt");
    await expect(client.call("session.fork", { sessionId: id, at: "nothing" })).rejects.toMatchObject({
      code: "bad_input",
    });
  });

  it("that are not there are named", async () => {
    for (const method of ["session.export", "session.fork", "session.open"] as const) {
      await expect(client.call(method, { sessionId: "none" }), method).rejects.toMatchObject({
        code: "not_found",
      });
    }
    expect(await client.call("session.delete", { sessionId: "none" })).toEqual({ deleted: false });
    await expect(client.call("blob.read", { hash: "0".repeat(64) })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("a working one is neither deleted nor cleared", async () => {
    const id = await client.session();
    await lab.model.close();
    await client.prompt(id, "go");
    await expect(client.call("session.delete", { sessionId: id })).rejects.toMatchObject({ code: "busy" });
    await expect(client.call("session.clear", { sessionId: id, commandId: "c" })).rejects.toMatchObject({
      code: "busy",
    });
  });
});

describe("commands to a session", () => {
  it("are answered alike when they are repeated", async () => {
    const id = await client.session();
    const prompt = {
      sessionId: id,
      commandId: "same",
      content: [{ type: "text" as const, text: "go" }],
      interactive: false,
      boundToClient: false,
    };
    const [first, repeat] = await Promise.all([
      client.call("session.prompt", prompt),
      client.call("session.prompt", prompt),
    ]);
    await client.until("turn_finished");
    expect(repeat).toEqual(first);
    expect(await client.call("session.prompt", prompt)).toEqual(first);
    expect((await lab.store.loadSession(id))?.session.messageCount).toBe(2);
  });

  it("an interrupt that is repeated is one, and a waiting prompt can be taken back", async () => {
    await lab.close();
    lab = await openDaemonLab([{ text: "long", hold: "end" }, { text: "next" }]);
    client = lab.client();
    const id = await client.session();
    await client.prompt(id, "go");
    await lab.model.waitForRequest(1, 5000);
    const promptId = await client.prompt(id, "later");
    const unqueue = { sessionId: id, commandId: "u", promptId };
    expect(await client.call("session.unqueue", unqueue)).toEqual({ removed: true, text: "later" });
    expect(await client.call("session.unqueue", unqueue)).toEqual({ removed: true, text: "later" });
    expect(await client.call("session.unqueue", { ...unqueue, commandId: "v" })).toEqual({
      removed: false,
      text: "",
    });
    const interrupt = { sessionId: id, commandId: "i", by: "user" as const };
    const both = [client.call("session.interrupt", interrupt), client.call("session.interrupt", interrupt)];
    expect(await Promise.all(both)).toEqual([{ interrupted: true }, { interrupted: true }]);
    expect(await client.until("turn_finished")).toMatchObject({ outcome: { type: "interrupted" } });
    expect(await client.call("session.interrupt", { ...interrupt, commandId: "j" })).toEqual({
      interrupted: false,
    });
  });

  it("the first answer to a question wins, a second is harmless, its repeat is told the same", async () => {
    await lab.close();
    lab = await openDaemonLab([{ calls: [{ name: "bash", input: { command: "make" } }] }, { text: "end" }]);
    client = lab.client();
    const second = lab.client("second");
    const id = await client.session();
    await second.call("session.open", { sessionId: id });
    await client.prompt(id, "go", true);
    const { approval } = await client.until("approval_requested");
    const answer = (who: LabClient, commandId: string) =>
      who.call("session.answer", {
        sessionId: id,
        commandId,
        approvalId: approval.id,
        answer: { type: "allow", scope: "once" },
      });
    const both = await Promise.all([answer(client, "a"), answer(second, "b")]);
    expect(both).toEqual([{ accepted: true }, { accepted: false }]);
    await second.until("turn_finished");
    expect(await answer(client, "a")).toEqual({ accepted: true });
    expect(await answer(second, "c")).toEqual({ accepted: false });
    const rows = await lab.store.audit({ sessionId: id, limit: 10 });
    expect(rows.map((row) => [row.decision, row.by])).toEqual([
      ["ask", "policy"],
      ["approved", "lab"],
    ]);
  });
});

describe("what would be decided", () => {
  it("is what the rules of the folder, or those given, say", async () => {
    lab.folders.write(
      ".lathe/config.json",
      '{"permissions": {"allow": ["Bash(make)"], "deny": ["Bash(rm *)"]}}',
    );
    const test = async (command: string, more = {}) =>
      (await client.call("permission.test", { cwd: lab.cwd, tool: "Bash", input: { command }, ...more }))
        .decision;
    expect(await test("rm x")).toMatchObject({ type: "deny", layer: "deny_rule" });
    expect(await test("make")).toMatchObject({ type: "ask" });
    expect(await client.call("trust.set", { path: lab.cwd, trusted: true })).toEqual({
      path: lab.cwd,
      trusted: true,
    });
    expect(await test("make")).toMatchObject({ type: "allow", layer: "allow_rule" });
    expect(await test("rm x", { rules: [], mode: "bypass" })).toMatchObject({ type: "allow", layer: "mode" });
    expect(await test("ls", {})).toMatchObject({ type: "allow", profile: "read-only" });
    const listed = await client.call("permission.list", { cwd: lab.cwd });
    expect(listed).toMatchObject({ mode: "ask", trusted: true });
    expect(listed.rules.map((rule) => `${rule.effect} ${rule.tool}(${rule.match})`).toSorted()).toEqual([
      "allow bash(make)",
      "deny bash(rm *)",
    ]);
    await expect(
      client.call("permission.test", { cwd: lab.cwd, tool: "nope", input: {} }),
    ).rejects.toMatchObject({ code: "bad_input" });
  });

  it("folders of the config may be read without a question", async () => {
    const folder = join(lab.folders.paths.home, "reference");
    mkdirSync(folder);
    const test = async () =>
      (
        await client.call("permission.test", {
          cwd: lab.cwd,
          tool: "read_file",
          input: { path: join(folder, "a") },
        })
      ).decision.type;
    expect(await test()).toBe("ask");
    lab.folders.write(
      lab.folders.paths.configFile,
      JSON.stringify({ permissions: { additionalDirectories: [folder] } }),
    );
    expect(await test()).toBe("allow");
  });
});

it("models.list says what the keys at hand reach", async () => {
  const { models, default: chosen } = await client.call("models.list", { cwd: lab.cwd, context: context() });
  expect(chosen).toMatch(/^anthropic\//);
  const available = models.filter((model) => model.available).map((model) => model.id);
  expect(available).toContain("anthropic/...");
  expect(available).not.toContain("openai/...");
});

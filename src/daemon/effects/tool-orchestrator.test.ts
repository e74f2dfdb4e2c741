import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Turn } from "../../demo/scripted-model/types.ts";
import type { SpawnSpec } from "../../protocol/ports.ts";
import { type DaemonLab, openDaemonLab, type Walls } from "../testing/daemon-lab.ts";
import { runTool } from "./tool-orchestrator.ts";

let lab: DaemonLab;
afterEach(() => lab.close());

const bash = (command: string, more = {}): Turn => ({
  calls: [{ name: "bash", input: { command, ...more } }],
});
/** What ran, when no walls of its own are given. */
let specs: SpawnSpec[] = [];
const ran = (): string[] => specs.map((spec) => spec.command);
const noteOnly: Walls = async (spec) => {
  specs.push(spec);
  return {};
};
const open = async (turns: Turn[], walls: Walls = noteOnly) => {
  specs = [];
  lab = await openDaemonLab([...turns, { text: "end" }], walls);
  return lab.client();
};
/** The text of the last result that the model was sent. */
const told = (): string => {
  const body = lab.model.requests.at(-1)?.body as { messages: { content: unknown }[] };
  return JSON.stringify(body.messages.at(-1)?.content);
};
const audit = async (sessionId: string): Promise<string[]> =>
  (await lab.store.audit({ sessionId, limit: 100 })).map(
    (row) => `${row.tool} ${row.decision} ${row.layer} ${row.by}`,
  );

describe("what cannot be run", () => {
  it("an unknown tool and bad arguments are answered with the reason, and audited", async () => {
    const client = await open([
      {
        calls: [
          { name: "nope", input: {} },
          { name: "read_file", input: {} },
          { name: "bash", raw: '{"command": "x' },
        ],
      },
    ]);
    const id = await client.session({ mode: "auto" });
    expect(await client.turn(id, "go")).toMatchObject({ outcome: { type: "done" }, denials: [] });
    expect(told()).toContain('Unknown tool \\"nope\\"');
    expect(told()).toContain("path");
    expect(told()).toContain("not a JSON object");
    expect(await audit(id)).toEqual([
      "nope refused invalid policy",
      "read_file refused invalid policy",
      "bash refused invalid policy",
    ]);
  });

  it("a tool that is not offered is refused", async () => {
    const client = await open([bash("ls")]);
    const id = await client.session({ mode: "auto", options: { tools: ["read_file"] } });
    await client.turn(id, "go");
    expect(told()).toContain("Tool 'bash' is not allowed in this context.");
  });

  it("headless, ask means denied: listed, audited, outcome denied", async () => {
    const client = await open([bash("touch x")]);
    const id = await client.session({ mode: "ask" });
    const end = await client.turn(id, "go");
    expect(end).toMatchObject({ outcome: { type: "denied" }, denials: [{ tool: "bash" }] });
    expect(told()).toContain("nobody is there to ask");
    expect(await audit(id)).toEqual(["bash deny effect policy"]);
    expect(ran()).toEqual([]);
  });
});

describe("an approval", () => {
  it("runs the call once, and yes and no are audited with who said it", async () => {
    const client = await open([bash("make one"), bash("make two")]);
    const id = await client.session();
    const first = client.turn(id, "go", true);
    const approval = await client.answer(id, { type: "allow", scope: "once" });
    expect(approval).toMatchObject({ kind: "tool", title: "make one", status: "open" });
    await client.answer(id, { type: "deny", message: "not that" });
    expect((await first).denials).toMatchObject([{ tool: "bash", input: { command: "make two" } }]);
    expect(told()).toContain("not that");
    expect(ran()).toEqual(["make one"]);
    expect(await audit(id)).toEqual([
      "bash ask effect policy",
      "bash approved grant lab",
      "bash ask effect policy",
      "bash refused grant lab",
    ]);
  });

  it("for the task holds for this session, and dies with it", async () => {
    const client = await open([bash("make a"), bash("make b"), { text: "end" }, bash("make a")]);
    const id = await client.session();
    const turn = client.turn(id, "go", true);
    const approval = await client.answer(id, { type: "allow", scope: "task" });
    expect(approval.suggestions).toMatchObject([{ tool: "bash", effect: "allow" }]);
    await client.answer(id, { type: "allow", scope: "once" });
    await turn;
    expect((await lab.store.grants(id)).map((grant) => grant.scope)).toEqual(["task"]);
    expect((await lab.hub.get(id)).grants).toHaveLength(1);
    const other = await client.session();
    expect((await lab.hub.get(other)).grants).toEqual([]);
    expect(await client.turn(other, "go")).toMatchObject({ outcome: { type: "denied" } });
  });

  it("everywhere is written to the user's config and found by a session that is loaded already", async () => {
    const client = await open([bash("make a"), { text: "end" }, bash("make a")]);
    const other = await client.session();
    const id = await client.session();
    const turn = client.turn(id, "go", true);
    await client.answer(id, { type: "allow", scope: "everywhere" });
    await turn;
    expect(readFileSync(lab.folders.paths.configFile, "utf8")).toContain("bash(make a");
    expect(await client.turn(other, "go")).toMatchObject({ outcome: { type: "done" } });
    expect(ran()).toEqual(["make a", "make a"]);
  });

  it("is not used for a call that became denied while it waited", async () => {
    const client = await open([bash("make a")]);
    const id = await client.session();
    const turn = client.turn(id, "go", true);
    const { approval } = await client.until("approval_requested");
    await client.call("session.update", { sessionId: id, commandId: "c1", mode: "read-only" });
    await client.call("session.answer", {
      sessionId: id,
      commandId: "c2",
      approvalId: approval.id,
      answer: { type: "allow", scope: "once" },
    });
    await turn;
    expect(ran()).toEqual([]);
    expect(told()).toContain("Permission denied");
    expect((await audit(id)).at(-1)).toMatch(/^bash deny/);
  });

  it("belongs to the exact call: another call with it, and a second use, are refused and audited", async () => {
    const client = await open([bash("make a")]);
    const id = await client.session();
    const turn = client.turn(id, "go", true);
    const approval = await client.answer(id, { type: "allow", scope: "once" });
    await turn;
    const runtime = await lab.hub.get(id);
    const posted: unknown[] = [];
    runtime.actor.post = (input) => void posted.push(input);
    const call = {
      type: "tool_call" as const,
      id: approval.callId ?? "",
      name: "bash",
      input: { command: "make a" },
    };
    const effect = {
      type: "run_tool" as const,
      effectId: "e",
      runId: "r",
      call,
      approvalId: approval.id,
      interactive: true,
    };
    await runTool(effect, runtime, lab.ports.effects);
    runtime.spent.clear();
    await runTool({ ...effect, call: { ...call, input: { command: "make b" } } }, runtime, lab.ports.effects);
    await runTool({ ...effect, call: { ...call, id: "other" } }, runtime, lab.ports.effects);
    for (const input of posted) {
      expect(input).toMatchObject({
        denied: true,
        result: { status: "denied" },
        facts: [{ type: "decision_recorded", audit: { decision: "deny", layer: "invalid" } }],
      });
    }
    expect(posted).toHaveLength(3);
    expect(JSON.stringify(posted[0])).toContain("used before");
    expect(JSON.stringify(posted[1])).toContain("exact call");
  });
});

it("what was allowed is denied when files changed under it before it ran", async () => {
  const client = await open(
    [
      {
        calls: [
          { name: "bash", input: { command: "swap" } },
          { name: "write_file", input: { path: "sub/x.txt", content: "new" } },
        ],
      },
    ],
    async () => {
      unlinkSync(join(lab.cwd, "sub"));
      symlinkSync(outside, join(lab.cwd, "sub"));
      return {};
    },
  );
  const outside = join(lab.folders.paths.home, "outside");
  mkdirSync(outside);
  mkdirSync(join(lab.cwd, "real"));
  symlinkSync(join(lab.cwd, "real"), join(lab.cwd, "sub"));
  const id = await client.session({ mode: "auto" });
  await client.turn(id, "go");
  expect(existsSync(join(outside, "x.txt"))).toBe(false);
  expect(told()).toContain("Permission denied");
});

describe("a denial by the walls", () => {
  const outside = () => join(lab.folders.paths.home, "cache");
  const deniedOnce =
    (path: () => string): Walls =>
    async (spec) => {
      specs.push(spec);
      return specs.length > 1
        ? {}
        : { exitCode: 1, denials: [{ type: "path", path: path(), operation: "write" }] };
    };

  it("is asked about once, and the second run may write there and nowhere else, inside the sandbox", async () => {
    const client = await open(
      [bash("npm i")],
      deniedOnce(() => join(outside(), "x")),
    );
    mkdirSync(outside());
    const id = await client.session({ mode: "auto" });
    const turn = client.turn(id, "go", true);
    const approval = await client.answer(id, { type: "allow", scope: "task" });
    expect(approval).toMatchObject({ kind: "escalation", onceOnly: true, suggestions: [] });
    await turn;
    expect(specs.map((spec) => [spec.policy.writableRoots, spec.unsandboxed])).toEqual([
      [[lab.cwd], false],
      [[lab.cwd, outside()], false],
    ]);
    expect(await lab.store.grants(id)).toEqual([]);
  });

  it.each([
    ["headless", "cache/x", false],
    ["for a protected name", "other/.git/hooks/pre-commit", true],
    ["for a folder that could hold protected names", ".config/new", true],
    ["for a secret", ".ssh/id", true],
    ["for the home itself", "new-file", true],
  ])("is not asked about %s", async (_, path, interactive) => {
    const client = await open(
      [bash("npm i")],
      deniedOnce(() => join(lab.folders.paths.home, path)),
    );
    for (const folder of ["cache", "other/.git/hooks", ".config", ".ssh"]) {
      mkdirSync(join(lab.folders.paths.home, folder), { recursive: true });
    }
    const id = await client.session({ mode: "auto" });
    await client.turn(id, "go", interactive);
    expect(specs).toHaveLength(1);
    expect(client.facts.some(({ fact }) => fact.type === "approval_requested")).toBe(false);
  });

  it("commands are bare only when the session was begun so", async () => {
    const client = await open([bash("ls", { unsandboxed: true }), { text: "end" }, bash("ls")]);
    await client.turn(await client.session({ mode: "auto" }), "go");
    await client.turn(await client.session({ mode: "bypass", options: { sandbox: "none" } }), "go");
    expect(specs.map((spec) => spec.unsandboxed).at(-1)).toBe(true);
    expect(specs.slice(0, -1).every((spec) => !spec.unsandboxed)).toBe(true);
  });
});

it("commands get neither keys nor base URLs, and lathe's markers", async () => {
  const client = await open([bash("env")]);
  await client.turn(await client.session({ mode: "auto" }), "go");
  const { env } = specs[0] as SpawnSpec;
  expect(env).toMatchObject({ LATHE: "1", PAGER: "cat", HOME: lab.folders.paths.home });
  expect(Object.keys(env).filter((name) => /KEY|TOKEN|BASE_URL/.test(name))).toEqual([]);
});

it("an edit and the command after it run in that order; the approval of an edit shows its diff", async () => {
  const seen: string[] = [];
  const client = await open(
    [
      { calls: [{ name: "read_file", input: { path: "a.txt" } }] },
      {
        calls: [
          { name: "edit_file", input: { path: "a.txt", old_text: "one", new_text: "two" } },
          { name: "bash", input: { command: "cat a.txt" } },
        ],
      },
    ],
    async () => {
      seen.push(readFileSync(join(lab.cwd, "a.txt"), "utf8"));
      return {};
    },
  );
  writeFileSync(join(lab.cwd, "a.txt"), "one\n");
  const id = await client.session();
  const turn = client.turn(id, "go", true);
  const approval = await client.answer(id, { type: "allow", scope: "once" });
  expect(approval.diff).toContain("-one\n+two");
  await turn;
  expect(seen).toEqual(["two\n"]);
  expect(await lab.store.fileChanges(id)).toMatchObject([{ path: join(lab.cwd, "a.txt") }]);
});

it("nobody is asked about a change that cannot be made; what it would read elsewhere stays unsaid", async () => {
  const client = await open([{ calls: [{ name: "write_file", input: { path: "a.txt", content: "two" } }] }]);
  writeFileSync(join(lab.cwd, "a.txt"), "one\n");
  const id = await client.session();
  expect(await client.turn(id, "go", true)).toMatchObject({ outcome: { type: "done" } });
  expect(told()).toContain("was not read in this session");
  expect(await lab.store.approvals({ sessionId: id })).toEqual([]);
  expect(await audit(id)).toEqual(["write_file refused effect policy"]);
});

it("a question about a command that writes outside names the folder that a yes opens, and holds once", async () => {
  const client = await open([bash("touch /var/lib/lathe-test"), bash("touch /etc/lathe-test")]);
  const id = await client.session();
  const turn = client.turn(id, "go", true);
  const first = await client.answer(id, { type: "deny" });
  expect(first).toMatchObject({ onceOnly: true, suggestions: [] });
  expect(first.parts).toContain("the whole command may write below /var/lib, outside the project");
  const second = await client.answer(id, { type: "deny" });
  expect(second.parts.join()).toContain("a yes does not let it write there");
  await turn;
});

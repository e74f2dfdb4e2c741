import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AuditRow } from "../../src/protocol/permission.ts";
import { type Lab, openLab } from "../support/lab.ts";
import { openPerson, type Person } from "../support/person.ts";

let lab: Lab;
let person: Person;
let server: Server | undefined;
let seen: string[] = [];
afterEach(async () => {
  person.wire.end();
  server?.close();
  await lab.close();
});

type Call = { name: string; input: object };
const bash = (command: string, more: object = {}): Call => ({ name: "bash", input: { command, ...more } });

/** A lab whose model plays these steps in every session, and a server that the names of the config lead to. */
async function open(steps: Call[][], network: object = {}, permissions: object = {}): Promise<number> {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request.headers.host ?? "");
    response.end("hello from afar");
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  lab = await openLab((request) => {
    const done = JSON.stringify(request.body).split('"tool_result"').length - 1;
    let played = 0;
    for (const calls of steps) {
      if (played >= done) return { calls: calls.map((call) => atPort(call, port)) as never };
      played += calls.length;
    }
    return { text: "done" };
  });
  mkdirSync(join(lab.home, ".config/lathe"), { recursive: true });
  const hosts = { "new.test": "127.0.0.1", "other.test": "127.0.0.1", "pypi.org": "127.0.0.1" };
  writeFileSync(
    join(lab.home, ".config/lathe/config.json"),
    JSON.stringify({ permissions, sandbox: { network: { hosts, ...network } } }),
  );
  person = await openPerson(lab);
  return port;
}

const atPort = (call: Call, port: number): unknown =>
  JSON.parse(JSON.stringify(call).replaceAll("PORT", String(port)));
const get = (host: string): string => `curl -sS --max-time 20 http://${host}:PORT/`;
const auditOf = async (sessionId: string): Promise<AuditRow[]> =>
  (await person.wire.call<{ rows: AuditRow[] }>("session.audit", { sessionId })).rows;

describe("few questions", () => {
  it("a ten-step task that only reads asks nothing, in the default mode", async () => {
    const commands = ["ls -la", "git log --oneline | head -3", "wc -l a.txt", "cat a.txt | sort | uniq -c"];
    await open([
      ...commands.map((command) => [bash(command)]),
      [{ name: "read_file", input: { path: "a.txt" } }],
      [{ name: "search_code", input: { pattern: "b" } }],
      [{ name: "file_search", input: { pattern: "*.txt" } }],
      [{ name: "list_files", input: {} }],
      [bash("head -1 a.txt && tail -1 a.txt")],
      [bash("grep -n b a.txt")],
    ]);
    writeFileSync(join(lab.work, "a.txt"), "a\nb\n");
    const told = await person.prompt({ mode: "ask", answer: () => ({ type: "deny" }) });
    expect(told.asked).toEqual([]);
    expect(told.results).toHaveLength(10);
    expect(told.results.filter(({ status }) => status === "denied")).toEqual([]);
  });

  it("a loop of edits and tests asks nothing in auto", async () => {
    await open([
      [{ name: "write_file", input: { path: "t.mjs", content: "process.exit(1)\n" } }],
      [bash("node t.mjs || echo failed")],
      [{ name: "edit_file", input: { path: "t.mjs", old_text: "exit(1)", new_text: "exit(0)" } }],
      [bash("node t.mjs && mkdir -p out && echo passed > out/log && git init -q . && git add -A")],
    ]);
    const told = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect(told.asked).toEqual([]);
    expect(told.results.map(({ status, text }) => [status, text])).toEqual(
      told.results.map(({ text }) => ["ok", text]),
    );
    expect(told.results[1]?.text).toContain("failed");
  });

  it("in read-only mode nothing writes and nobody is asked", async () => {
    await open([
      [{ name: "write_file", input: { path: "x", content: "x" } }],
      [bash("touch x")],
      [bash("python3 -c \"open('x','w')\"")],
      [bash(get("new.test"), { allow_network: true })],
    ]);
    const told = await person.prompt({ mode: "read-only", answer: () => ({ type: "allow", scope: "once" }) });
    expect(told.asked).toEqual([]);
    expect(told.results.map(({ status }) => status)).not.toContain("ok");
    expect(seen).toEqual([]);
  });
});

describe("a domain that nobody knows", () => {
  const both = [[bash(`${get("new.test")}; ${get("new.test")}`, { allow_network: true })]];

  it("is asked about exactly once, by name, and the answer counts for the command", async () => {
    const port = await open(both);
    const told = await person.prompt({ mode: "auto", answer: () => ({ type: "allow", scope: "once" }) });
    expect(told.asked).toHaveLength(1);
    expect(told.asked[0]).toMatchObject({ kind: "domain", words: ["Allow fetching from new.test"] });
    expect(told.asked[0]?.title).toContain(`new.test:${port}`);
    expect(told.asked[0]?.detail).toContain("curl");
    expect(told.results[0]).toMatchObject({ status: "ok" });
    expect(seen).toEqual([`new.test:${port}`, `new.test:${port}`]);
    const rows = await auditOf(told.sessionId);
    expect(rows.some(({ reason }) => reason.includes(`new.test:${port}`))).toBe(true);
    const again = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect(again.asked).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  it("stays shut after a no, and the model is told why", async () => {
    await open(both);
    const told = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect(told.asked).toHaveLength(1);
    expect(told.results[0]?.text).toContain("new.test");
    expect(told.results[0]?.text).toMatch(/denied|did not allow/);
    expect(seen).toEqual([]);
  });

  it.each(["project", "everywhere"] as const)("is known to the next session after %s", async (scope) => {
    await open(both);
    const first = await person.prompt({ mode: "auto", answer: () => ({ type: "allow", scope }) });
    const next = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect([first.asked.length, next.asked.length, seen.length]).toEqual([1, 0, 4]);
  });

  it("is known for the task only after an answer for the task", async () => {
    await open([...both, [bash(get("new.test"), { allow_network: true })]]);
    const first = await person.prompt({ mode: "auto", answer: () => ({ type: "allow", scope: "task" }) });
    expect([first.asked.length, seen.length]).toEqual([1, 3]);
    const next = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect(next.asked.length).toBeGreaterThan(0);
    expect(seen).toHaveLength(3);
  });
});

describe("a group of domains", () => {
  const steps = [[bash(`${get("pypi.org")}; ${get("other.test")}`, { allow_network: true })]];

  it.each([
    ["the settings", { allow: ["pypi"] }, {}],
    ["a rule", {}, { allow: ["WebFetch(domain:pypi)"] }],
  ])("is allowed by its name in %s", async (_, network, permissions) => {
    const port = await open(steps, network, permissions);
    const told = await person.prompt({ mode: "auto", answer: () => ({ type: "deny" }) });
    expect(told.asked.map(({ title }) => title)).toEqual([expect.stringContaining(`other.test:${port}`)]);
    expect(seen).toEqual([`pypi.org:${port}`]);
  });
});

describe("git's configuration", () => {
  const url = "https://example.test/x.git";

  it("is written by commands that are known to write it, and keeps what can start nothing", async () => {
    await open([
      [bash(`git init -q . && git remote add origin ${url}`)],
      [bash(`git remote add upstream ${url}`)],
      [bash("git config core.fsmonitor ./evil")],
      [bash("git config branch.main.remote origin")],
      [bash("git config --list --local")],
    ]);
    const told = await person.prompt({ mode: "auto", answer: () => ({ type: "allow", scope: "once" }) });
    const after = told.results[4]?.text ?? "";
    expect(told.results[1]?.status, JSON.stringify(told.results)).toBe("ok");
    expect(told.asked).toEqual([]);
    expect(after).toContain(`remote.upstream.url=${url}`);
    expect(after).toContain("branch.main.remote=origin");
    expect(after).not.toContain("evil");
    expect(told.results[2]?.text).toContain(".git/config");
  });
});

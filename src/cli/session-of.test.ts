import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../client/client.ts";
import { type DaemonLab, type LabClient, openDaemonLab } from "../daemon/testing/daemon-lab.ts";
import { type Flags, parseInvocation } from "./args.ts";
import { applyFlags, clientContext, findSession, limitsOf, sessionOf } from "./session-of.ts";
import { type TestHost, testHost } from "./testing/test-host.ts";

let lab: DaemonLab;
let client: LabClient & Client;
let host: TestHost;
beforeEach(async () => {
  lab = await openDaemonLab(() => ({ text: "ok" }));
  client = lab.client() as LabClient & Client;
  host = testHost({
    cwd: lab.cwd,
    paths: lab.folders.paths,
    environment: { PATH: "/bin", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: lab.model.url },
    newId: () => crypto.randomUUID(),
  });
});
afterEach(() => lab.close());

const flags = (...args: string[]): Flags => {
  const found = parseInvocation(["-p", "-m", "anthropic/scripted-model", ...args], true);
  if (found.type !== "print") throw new Error(JSON.stringify(found));
  return found.flags;
};
const begin = async (...args: string[]) => (await sessionOf(client, host, flags(...args))).session;

describe("a new session", () => {
  it("has what the flags say", async () => {
    lab.folders.write("extra/x", "");
    lab.folders.write("prompt.md", "Be brief.");
    const id = crypto.randomUUID();
    const session = await begin(
      ...["--session-id", id, "--name", "Mine", "--permission-mode", "acceptEdits", "--add-dir", "extra"],
      ...["--append-system-prompt-file", "prompt.md", "--tools", "bash", "--allowed-tools", "Bash(ls)"],
    );
    expect(session).toMatchObject({
      id,
      title: "Mine",
      mode: "accept-edits",
      roots: [lab.cwd, join(lab.cwd, "extra")],
      sandbox: "on",
    });
    expect((await lab.store.loadSession(id))?.options).toMatchObject({
      appendSystemPrompt: "Be brief.",
      tools: ["bash"],
      allowedTools: ["Bash(ls)"],
    });
    await expect(begin("--session-id", id)).rejects.toMatchObject({ code: "bad_input" });
  });

  it("in mode full is bypass without a sandbox", async () => {
    expect(await begin("--permission-mode", "full")).toMatchObject({ mode: "bypass", sandbox: "none" });
  });

  it.each([
    [["--permission-mode", "maybe"], "usage"],
    [["--system-prompt-file", "none.md"], "bad_input"],
    [["--add-dir", "none"], "bad_input"],
    [["-C", "none"], "bad_input"],
    [["--allowed-tools", "Bash(ls"], "bad_input"],
    [["--session-id", "7"], "bad_input"],
  ])("%j is refused", async (args, code) => {
    await expect(begin(...args)).rejects.toMatchObject({ code });
  });
});

describe("an earlier session", () => {
  it("is the last one of the folder, also by a link to it, or the one named", async () => {
    await expect(begin("-c")).rejects.toMatchObject({ code: "bad_input" });
    const first = await begin("--name", "First");
    await new Promise((done) => setTimeout(done, 5));
    const second = await begin("--name", "Second");
    symlinkSync(lab.cwd, join(lab.folders.paths.home, "link"));
    expect((await begin("-c")).id).toBe(second.id);
    expect((await begin("-r")).id).toBe(second.id);
    expect((await begin("-c", "-C", join(lab.folders.paths.home, "link"))).id).toBe(second.id);
    expect((await begin("-r", first.id)).id).toBe(first.id);
    expect((await begin("-r", "First")).id).toBe(first.id);
    expect((await findSession(client, first.id)).id).toBe(first.id);
    await expect(begin("-r", "Nobody")).rejects.toMatchObject({ code: "bad_input" });
  });

  it("two of one name are listed, not guessed", async () => {
    await begin("--name", "Same");
    await begin("--name", "Same");
    await expect(begin("-r", "Same")).rejects.toThrow(/fits several sessions:\n {2}.*Same\n/);
  });

  it("is copied on demand", async () => {
    const first = await begin("--name", "First");
    const fork = await begin("-c", "--fork-session");
    expect(fork.id).not.toBe(first.id);
    expect(fork.title).toBe("First (fork)");
  });

  it("takes model, mode, name and rules by flag", async () => {
    const first = await begin();
    const given = flags("-c", "--permission-mode", "auto", "--name", "New", "--allowed-tools", "Bash(make)");
    const changed = await applyFlags(client, host, given, first);
    expect(changed).toMatchObject({ id: first.id, mode: "auto", title: "New" });
    expect((await lab.store.loadSession(first.id))?.options.allowedTools).toEqual(["Bash(make)"]);
    expect(await applyFlags(client, host, flags("-c"), changed)).toBe(changed);
  });

  it("refuses what only a beginning can have", async () => {
    await begin();
    for (const args of [
      ["--add-dir", "x"],
      ["--system-prompt", "x"],
      ["--append-system-prompt", "x"],
      ["--tools", "bash"],
      ["--sandbox", "none"],
    ]) {
      await expect(begin("-c", ...args), args[0]).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining(args[0] ?? ""),
      });
    }
  });
});

it("the context holds allow-listed variables, and keys that the user's config names", () => {
  lab.folders.write(
    lab.folders.paths.configFile,
    '{"models": {"providers": {"corp": {"baseUrl": "http://x", "keyName": "CORP_PASS"}}}}',
  );
  const { environment, credentials } = clientContext({
    ...host,
    environment: { ...host.environment, CORP_PASS: "p", OTHER_PASS: "o", GITHUB_TOKEN: "t" },
  });
  expect(Object.keys(environment)).toEqual(["PATH", "ANTHROPIC_BASE_URL"]);
  expect(credentials).toEqual({ ANTHROPIC_API_KEY: "k", CORP_PASS: "p" });
});

it("limits that are not given are left to the config", () => {
  expect(limitsOf(flags())).toEqual({});
  const given = flags(
    ...["--max-turns", "1", "--max-tool-calls", "2", "--max-tokens", "3"],
    ...["--max-budget-usd", "4", "--max-seconds", "5"],
  );
  expect(limitsOf(given)).toEqual({
    maxSteps: 1,
    maxToolCalls: 2,
    maxTokens: 3,
    maxCostUsd: 4,
    maxSeconds: 5,
  });
});

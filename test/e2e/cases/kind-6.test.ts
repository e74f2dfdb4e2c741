import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { writeUserConfig } from "../../support/config.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const bash = (command: string) => ({ name: "bash", input: { command } });
const write = (path: string) => ({ name: "write_file", input: { path, content: "x" } });

describe("kind 6: permissions", () => {
  it("H28 sees through commands that only look read-only", async () => {
    const commands = [
      "find . -name f -exec touch HIT {} +",
      "find . -okdir touch HIT ';'",
      "find . -fprint HIT",
      "find . -name f -delete",
      "git -c core.fsmonitor='touch HIT' status",
      "git -c alias.x='!touch HIT' x",
      "sort f -o HIT",
      "rg --pre ./p f",
      "sed -n 'w HIT' f",
      "awk 'BEGIN{system(\"touch HIT\")}'",
      "xargs touch <<< HIT",
    ];
    at = await openCase([
      { calls: commands.map(bash) },
      { calls: [bash("find . -name f"), bash("sort f")] },
      { text: "ok" },
    ]);
    at.put("f", "1");
    const run = await at.ask("go", ["--permission-mode", "ask"]);
    expect(run.code).toBe(60);
    const denied = newResults(at.model.requests[1]);
    expect(denied).toHaveLength(commands.length);
    for (const [index, { text, isError }] of denied.entries()) {
      expect({ command: commands[index], isError, denied: /denied/i.test(text) }).toEqual({
        command: commands[index],
        isError: true,
        denied: true,
      });
    }
    expect(run.json.permission_denials).toHaveLength(commands.length);
    const reads = newResults(at.model.requests[2]);
    expect(reads.map(({ isError }) => isError)).toEqual([false, false]);
    expect(reads[0]?.text).toContain("./f");
    expect(reads[1]?.text).toContain("1");
    await at.check();
  });

  it("H30 ends a loop of denials, and lists each of them", async () => {
    at = await openCase((_, index) => {
      const turns = [
        { calls: [write("a/x")] },
        { calls: [write("a/x")] },
        { calls: [write("a/y")] },
        { calls: [bash("echo > a/z")] },
        { calls: [{ name: "read_file", input: { path: "hidden.txt" } }] },
      ];
      return turns[index % turns.length] ?? { text: "never" };
    });
    writeUserConfig(at, { permissions: { deny: ["edit(a/**)", "read(hidden.txt)"] } });
    at.put("hidden.txt", "1");
    const run = await at.ask("go");
    expect(at.model.requests.length).toBeLessThan(15);
    expect(run.code).not.toBe(0);
    const tools = run.json.permission_denials.map((denial) => denial.tool_name);
    expect(tools.length).toBeGreaterThanOrEqual(at.model.requests.length - 1);
    expect(existsSync(join(at.work, "a"))).toBe(false);
    await at.check();
  });

  it("H30 lists denials of every kind of tool", async () => {
    at = await openCase([
      {
        calls: [write("a/x"), bash("echo > a/z"), { name: "read_file", input: { path: "hidden.txt" } }],
      },
      { text: "gave up" },
    ]);
    writeUserConfig(at, { permissions: { deny: ["edit(a/**)", "read(hidden.txt)"] } });
    at.put("hidden.txt", "1");
    const run = await at.ask("go");
    expect(run.code).toBe(60);
    expect(run.json.permission_denials.map((denial) => denial.tool_name)).toEqual([
      "write_file",
      "bash",
      "read_file",
    ]);
    await at.check();
  });

  it("H31 finds a denied command behind cd, options and wrappers", async () => {
    const commands = [
      "cd sub && git push origin HEAD:a",
      "git -C . push origin HEAD:b",
      "git  push origin HEAD:c",
      "bash -c 'git push origin HEAD:d'",
      'eval "git push origin HEAD:e"',
      "env X=1 git push origin HEAD:f",
      "X=1 git push origin HEAD:g",
      "command git push origin HEAD:h",
      "timeout 9 git push origin HEAD:i",
      "if true; then git push origin HEAD:j; fi",
    ];
    at = await openCase([{ calls: commands.map(bash) }, { calls: [bash("git log -1")] }, { text: "ok" }]);
    const remote = join(at.work, "..", "r.git");
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: at?.work,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: at?.home },
      });
    git("init", "-q", "--bare", remote);
    git("init", "-q", ".");
    mkdirSync(join(at.work, "sub"));
    writeFileSync(join(at.work, "sub", "f"), "1");
    git("add", ".");
    git("commit", "-qm", "first words");
    git("remote", "add", "origin", "../r.git");
    writeUserConfig(at, { permissions: { deny: ["bash(git push:*)"] } });
    const run = await at.ask("go", ["--add-dir", remote]);
    expect(git("-C", remote, "branch")).toBe("");
    const denied = newResults(at.model.requests[1]);
    expect(denied.map(({ isError, text }) => isError === true && /denied/i.test(text))).toEqual(
      commands.map(() => true),
    );
    expect(run.json.permission_denials).toHaveLength(commands.length);
    expect(newResults(at.model.requests[2])[0]).toMatchObject({ isError: false });
    expect(newResults(at.model.requests[2])[0]?.text).toContain("first words");
    await at.check();
  });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../client/client.ts";
import { type DaemonLab, openDaemonLab } from "../../daemon/testing/daemon-lab.ts";
import { parseInvocation } from "../args.ts";
import { runCli } from "../run-cli.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";

let lab: DaemonLab;
beforeEach(async () => {
  lab = await openDaemonLab(() => ({ text: "the answer" }));
});
afterEach(() => lab.close());

/** Runs one command as a process of its own would. */
async function run(...args: string[]): Promise<TestHost & { code: number }> {
  const host = testHost({
    cwd: lab.cwd,
    paths: lab.folders.paths,
    environment: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: lab.model.url },
    connect: () => Promise.resolve(lab.client("command") as unknown as Client),
  });
  const invocation = parseInvocation(args, true);
  if (invocation.type === "print" || invocation.type === "interactive") throw new Error("no command");
  const code = await runCli(invocation, host, async (demoArgs) => {
    host.stdout.write(`demo ${demoArgs.join()}`);
    return 0;
  });
  return Object.assign(host, { code });
}
async function session(prompt: string): Promise<string> {
  const client = lab.client();
  const id = await client.session();
  await client.turn(id, prompt);
  client.close();
  return id;
}

describe("lathe sessions", () => {
  it("lists, shows, exports and deletes", async () => {
    expect((await run("sessions")).err()).toContain("--all shows those of every folder");
    const id = await session("what is it?");
    const listed = await run("sessions", "list");
    expect(listed.out()).toMatch(new RegExp(`^${id} .*idle +2 messages .*what is it\\?\\n$`));
    expect(JSON.parse((await run("sessions", "list", "--json")).out())).toMatchObject([{ id }]);
    expect((await run("sessions", "show", id.slice(0, 13))).out()).toContain("> what is it?\n\nthe answer");

    const context = await run("sessions", "context", id);
    expect(context.out()).toMatch(/^prompts +\d+$/m);
    expect(context.out()).toMatch(/^compacted at +[\d,]+$/m);
    const exported = await run("sessions", "export", "what is it?", "out.json");
    expect(exported.code).toBe(0);
    expect(JSON.parse(readFileSync(join(lab.cwd, "out.json"), "utf8"))).toMatchObject({
      format: "lathe-session/1",
      session: { id },
    });
    const again = await run("sessions", "export", id, "out.json");
    expect([again.code, again.err()]).toEqual([42, expect.stringContaining("exists already")]);

    expect((await run("sessions", "delete", id)).out()).toBe(`deleted ${id}\n`);
    expect((await run("sessions", "show", id)).code).toBe(42);
  });

  it.each([
    [["sessions", "nope"], 'no "nope"'],
    [["sessions", "show"], "needs a session"],
    [["sessions", "list", "--limit", "x"], "whole number"],
    [["sessions", "list", "--nope"], "--nope"],
    [["daemon", "nope"], 'no "nope"'],
    [["daemon", "logs", "-n", "0"], "whole number"],
    [["permissions"], 'no ""'],
    [["permissions", "test", "bash"], "needs TOOL and JSON"],
    [["permissions", "test", "bash", "{}", "--mode", "x"], "no permission mode"],
    [["permissions", "test", "bash", "{"], "not JSON"],
    [["permissions", "test", "bash", "{}", "--rules", "none"], "cannot be read"],
    [["sandbox"], 'no ""'],
    [["sandbox", "run"], "needs a command"],
    [["sandbox", "run", "--timeout", "x", "--", "ls"], "takes seconds"],
    [["sandbox", "run", "--policy", "none", "--", "ls"], "--policy none"],
  ])("%j is a usage error that says what is wrong", async (args, words) => {
    const { code, err, out } = await run(...args);
    expect([code, out()]).toEqual([2, ""]);
    expect(err()).toContain(words);
  });
});

it("lathe permissions test and list show decision and rules", async () => {
  lab.folders.write(lab.folders.paths.configFile, '{"permissions": {"deny": ["Bash(rm *)"]}}');
  const denied = await run("permissions", "test", "bash", '{"command":"rm x"}');
  expect(denied.out()).toMatch(/^deny \(deny rule\): .*\nrule: deny bash\(rm \*\), .*config\.json:1\n$/);
  const asked = await run("permissions", "test", "bash", '{"command":"make all"}');
  expect(asked.out()).toContain("asks about: make all");
  expect(asked.out()).toContain('"always" would add: allow bash(make all');
  writeFileSync(join(lab.cwd, "rules.json"), '[{"effect":"allow","tool":"bash","match":"make all"}]');
  const allowed = await run(
    "permissions",
    "test",
    "bash",
    '{"command":"make all"}',
    "--rules",
    "rules.json",
    "--json",
  );
  expect(JSON.parse(allowed.out())).toMatchObject({ type: "allow", rule: { source: "rules.json:1" } });
  expect((await run("permissions", "list")).out()).toMatch(
    /^mode ask; .*not trusted\ndeny bash\(rm \*\) {2}\(user, /,
  );
});

it("lathe trust, config, doctor, models, daemon status, demo and help", async () => {
  expect((await run("trust")).out()).toContain(`${lab.cwd} is trusted`);
  expect((await run("trust", "--remove", ".")).out()).toContain("no longer trusted");
  expect((await run("trust", "nowhere")).code).toBe(42);
  expect((await run("config")).out()).toContain('permissionMode = "ask"  (default)');
  lab.folders.write(".lathe/config.json", "{");
  const broken = await run("config");
  expect([broken.code, broken.err()]).toEqual([52, expect.stringContaining("config.json:1:2")]);
  const doctor = await run("doctor");
  expect([doctor.code, doctor.out()]).toEqual([
    1,
    expect.stringMatching(/FAILED {2}config: .*\n +to mend: /),
  ]);
  lab.folders.write(".lathe/config.json", "{}");
  expect((await run("doctor")).code).toBe(0);
  expect((await run("models")).out()).toMatch(/^default: anthropic\//);
  expect((await run("daemon", "status")).out()).toContain("ok     store: ");
  expect((await run("daemon", "logs")).err()).toContain("no log yet");
  expect((await run("demo", "--keep", "x")).out()).toBe("demo --keep,x");
  expect((await run("trust", "--help")).out()).toContain("lathe trust --remove");
  expect((await run("help")).out()).toContain("Exit codes");
  expect(existsSync(join(lab.cwd, "x"))).toBe(false);
});

it("lathe sandbox run gives the command's output, denials and exit code", async () => {
  await lab.close();
  const commands: string[] = [];
  lab = await openDaemonLab([], async (spec) => {
    commands.push(spec.command);
    return {
      exitCode: 3,
      stdout: { text: "out", totalBytes: 3, cut: false },
      denials: [{ type: "path", path: "/etc/x", operation: "write" }],
    };
  });
  const { code, out, err } = await run("sandbox", "run", "--", "touch", "it's", "/etc/x");
  expect([code, out(), err()]).toEqual([3, "out", "[sandbox] denied: write /etc/x\n"]);
  expect(commands).toEqual(["touch 'it'\\''s' /etc/x"]);
});

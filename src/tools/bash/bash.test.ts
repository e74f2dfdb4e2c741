import { afterEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import type { CommandPort, CommandResult } from "../../protocol/ports.ts";
import { bashTool } from "./bash.ts";

let lab: ToolLab | undefined;
afterEach(() => lab?.end());

type Call = { command: string; options: Parameters<CommandPort["run"]>[1] };

function withResult(part: Partial<CommandResult>): Call[] {
  const calls: Call[] = [];
  const stream = { text: "", totalBytes: 0, cut: false };
  lab = createToolLab({
    async run(command, options) {
      calls.push({ command, options });
      return {
        ok: true,
        value: {
          exitCode: 0,
          signal: null,
          timedOut: false,
          interrupted: false,
          stdout: stream,
          stderr: stream,
          durationMs: 5,
          denials: [],
          sandbox: "bwrap",
          ...part,
        },
      };
    },
  });
  return calls;
}

const stream = (text: string, more = {}) => ({ text, totalBytes: text.length, cut: false, ...more });
const run = (input: Parameters<ToolLab["run"]>[1]) => lab!.run(bashTool, input);

test("stdout, stderr and the exit code each have their form", async () => {
  withResult({ stdout: stream("out\n"), stderr: stream("err\n"), exitCode: 7 });
  const output = await run({ command: "x" });
  expect(output.status).toBe("error");
  expect(textOf(output)).toBe("out\n--- stderr ---\nerr\n[exit code: 7]");
  expect(output.display).toMatchObject({ type: "command", exitCode: 7, sandbox: "bwrap" });
});

test("nothing at all is said", async () => {
  withResult({});
  expect(textOf(await run({ command: "true" }))).toBe("(no output)");
});

test("death by signal is an error that keeps the output", async () => {
  withResult({ stdout: stream("early\n"), exitCode: null, signal: "SIGKILL" });
  const output = await run({ command: "x" });
  expect([output.status, textOf(output)]).toEqual(["error", "early\n[killed by SIGKILL (137)]"]);
  withResult({ exitCode: 137 });
  expect(textOf(await run({ command: "x" }))).toContain("[exit code: 137] (128 + 9: killed by SIGKILL)");
});

test("a time limit is said in seconds, with what was printed", async () => {
  const calls = withResult({ stdout: stream("tick\n"), exitCode: null, signal: "SIGKILL", timedOut: true });
  const output = await run({ command: "sleep 60", timeout_sec: "2" });
  expect(output.status).toBe("error");
  expect(textOf(output)).toMatch(
    /^tick\n\[timed out: the command was ended after 2 s; timeout_sec can be up to 600\]$/,
  );
  expect(calls[0]?.options).toEqual({ cwd: lab?.work, timeoutMs: 2000, network: false });
});

test("a flood is cut in the middle, its end kept, the whole given for the blob", async () => {
  const text = `${"x".repeat(200_000)}THE-END\n`;
  withResult({
    stdout: stream(text, { totalBytes: 40_000_008, cut: true }),
    stderr: stream("e".repeat(60_000)),
  });
  const output = await run({ command: "x" });
  expect(textOf(output).length).toBeLessThanOrEqual(50_000);
  expect(textOf(output)).toContain("THE-END");
  expect(textOf(output)).toContain("[stdout was cut: 40000008 bytes in all");
  expect(textOf(output)).toContain("[stderr was cut: 60000 bytes in all");
  expect(String(output.fullText)).toContain(text.trim());
});

test("denials name what was denied and the way on", async () => {
  withResult({
    exitCode: 1,
    denials: [
      { type: "path", path: "/home/u/x", operation: "write" },
      { type: "network", domain: "example.com" },
    ],
  });
  const text = textOf(await run({ command: "x" }));
  expect(text).toContain("[sandbox] write denied: /home/u/x.");
  expect(text).toContain("[sandbox] network access denied: example.com. Call again with allow_network: true");
});

test("a command that succeeded is not told of network access it did without", async () => {
  withResult({
    exitCode: 0,
    denials: [
      { type: "path", path: "/home/u/x", operation: "write" },
      { type: "network", domain: "example.com" },
    ],
  });
  const text = textOf(await run({ command: "x" }));
  expect(text).toContain("[sandbox] write denied: /home/u/x.");
  expect(text).not.toContain("example.com");
});

test("an address that cannot be reached is said to be the sandbox's doing, but only there", async () => {
  const stderr = stream("OSError: [Errno 101] Network is unreachable\n");
  withResult({ exitCode: 1, stderr });
  expect(textOf(await run({ command: "x" }))).toContain("[sandbox] network access denied");
  withResult({ exitCode: 1, stderr, sandbox: "none" });
  expect(textOf(await run({ command: "x" }))).not.toContain("[sandbox]");
});

test("other agents' inputs are understood", async () => {
  const calls = withResult({});
  await run({ command: ["bash", "-lc", "echo hi"], timeout: 5000, workdir: "sub" });
  await run({ command: ["git", "commit", "-m", "it's done"], timeout: 20, allow_network: "true" });
  await run({ cmd: "ls", timeout_ms: 500 });
  await run({ command: "ls", timeout_sec: 99_999 });
  expect(calls.map((call) => [call.command, call.options.timeoutMs, call.options.network])).toEqual([
    ["echo hi", 5000, false],
    ["git commit -m 'it'\\''s done'", 20_000, true],
    ["ls", 500, false],
    ["ls", 600_000, false],
  ]);
  expect(calls[0]?.options.cwd).toBe(`${lab?.work}/sub`);
});

test("a call cannot widen its own rights, and a missing command is named", async () => {
  const calls = withResult({});
  for (const name of [
    "writableRoots",
    "dangerouslyDisableSandbox",
    "with_escalated_permissions",
    "unsandboxed",
  ]) {
    expect(textOf(await run({ command: "ls", [name]: true }))).toContain(`"${name}"`);
  }
  expect(textOf(await run({}))).toBe('Missing required parameter "command".');
  expect(calls).toEqual([]);
  await run({ command: "ls", dangerouslyDisableSandbox: false, description: "List files" });
  expect(calls).toHaveLength(1);
});

test("actions say what would run and where", () => {
  withResult({});
  const parsed = bashTool.parse({ command: "ls", cwd: "a", allow_network: true });
  expect(parsed.ok && bashTool.actions(parsed.value, lab!.place)).toEqual([
    { type: "run_command", command: "ls", cwd: `${lab?.work}/a`, network: true, unsandboxed: false },
  ]);
});

test("colours and progress bars are left out", async () => {
  withResult({ stdout: stream("\x1b[32mok\x1b[0m\r\n 10%\r 50%\r100%\r\nnul\0\n") });
  expect(textOf(await run({ command: "x" }))).toBe("ok\n100%\nnul");
});

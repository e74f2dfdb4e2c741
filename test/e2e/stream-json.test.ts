import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab, type RunResult } from "../support/lab.ts";
import { messagesOf } from "../support/wire.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

type Line = Record<string, unknown> & { type: string; subtype?: string; session_id: string; uuid: string };
const linesOf = (run: RunResult): Line[] =>
  run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const kindsOf = (lines: Line[]): string[] =>
  lines.map(({ type, subtype }) => (subtype ? `${type}/${subtype}` : type));
const STREAM = ["--output-format", "stream-json"];

describe("stream-json", () => {
  it("tells a run in the shapes that wrappers know", async () => {
    lab = await openLab([
      { text: "I look.", calls: [{ name: "bash", input: { command: "echo seen" } }] },
      { calls: [{ name: "write_file", input: { path: "../out.txt", content: "x" } }] },
      { text: "done" },
    ]);
    const run = await lab.run(["-p", "go", "--permission-mode", "auto", ...STREAM]);
    const lines = linesOf(run);
    expect(kindsOf(lines)).toEqual([
      "system/init",
      "assistant",
      "user",
      "assistant",
      "system/permission_denied",
      "user",
      "assistant",
      "result/error_during_execution",
    ]);
    const [init] = lines;
    expect(init).toMatchObject({
      cwd: lab.work,
      model: "anthropic/claude-sonnet-4-6",
      permissionMode: "auto",
    });
    for (const list of ["tools", "mcp_servers", "slash_commands", "agents", "skills", "plugins"])
      expect(Array.isArray(init?.[list])).toBe(true);
    expect(init?.tools).toContain("bash");
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1);
    expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
    const call = { type: "tool_use", name: "bash", input: { command: "echo seen" } };
    expect(lines[1]).toMatchObject({
      parent_tool_use_id: null,
      message: { role: "assistant", content: [{ type: "text", text: "I look." }, call] },
    });
    const reply = lines[1]?.message as { content: { id?: string }[] } | undefined;
    const id = reply?.content[1]?.id;
    expect(lines[2]).toMatchObject({
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, is_error: false }] },
    });
    expect(lines.at(-1)).toMatchObject({
      is_error: true,
      num_turns: 3,
      result: "done",
      outcome: "denied",
      permission_denials: [{ tool_name: "write_file" }],
    });
    expect(run.code).toBe(60);
  });

  it("streams partial messages when asked", async () => {
    lab = await openLab([{ text: "a long enough answer", delayMs: 30 }]);
    const lines = linesOf(await lab.run(["-p", "go", ...STREAM, "--include-partial-messages"]));
    const deltas = lines.filter(({ type }) => type === "stream_event");
    const text = deltas.map(({ event }) => (event as { delta: { text: string } }).delta.text).join("");
    expect(text).toBe("a long enough answer");
    expect(deltas.length).toBeGreaterThan(1);
    expect(lines.at(-1)).toMatchObject({ type: "result", subtype: "success", result: text, is_error: false });
  });

  it("takes several prompts from stdin, one after the other", async () => {
    lab = await openLab([{ text: "one" }, { text: "two" }]);
    const prompt = (content: unknown) =>
      `${JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null })}\n`;
    const stdin = prompt("first") + prompt([{ type: "text", text: "second" }]);
    const run = await lab.run(["-p", "--input-format", "stream-json", ...STREAM], { stdin });
    expect(run.code).toBe(0);
    const results = linesOf(run).filter(({ type }) => type === "result");
    expect(results.map(({ result }) => result)).toEqual(["one", "two"]);
    expect(lab.model.requests).toHaveLength(2);
    expect(JSON.stringify(messagesOf(lab.model.requests[1]))).toMatch(/first.*one.*second/);
    expect(lab.problems()).toEqual([]);
  });

  it("names the line of standard input that it cannot read", async () => {
    lab = await openLab([{ text: "one" }]);
    const run = await lab.run(["-p", "--input-format", "stream-json", ...STREAM], {
      stdin: '{"type":"user"\n',
    });
    expect(run.code).toBe(42);
    expect(run.stderr).toContain("line 1");
    expect(linesOf(run).at(-1)).toMatchObject({ type: "result", is_error: true });
    expect(lab.model.requests).toHaveLength(0);
  });
});

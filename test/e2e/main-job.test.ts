import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab, resultOf } from "../support/lab.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

describe("a prompt becomes finished work", () => {
  it("answers on stdout with exit code 0", async () => {
    lab = await openLab([{ text: "Hello there." }]);
    const run = await lab.run(["-p", "hi"]);
    expect(run).toMatchObject({ code: 0, stdout: "Hello there.\n" });
    expect(lab.model.problems).toEqual([]);
    expect(lab.model.requests).toHaveLength(1);
  });

  it("runs commands in the sandbox, edits, and stores the conversation over a daemon restart", async () => {
    lab = await openLab([
      { calls: [{ name: "read_file", input: { path: "a.txt" } }] },
      { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: "one", new_text: "two" } }] },
      { calls: [{ name: "bash", input: { command: "cat a.txt; touch made" } }] },
      { text: "done" },
      { text: "again" },
    ]);
    writeFileSync(join(lab.work, "a.txt"), "one\n");
    const run = await lab.run(["-p", "go", "--permission-mode", "auto", "--output-format", "json"]);
    expect(run.stderr).toBe("");
    expect(resultOf(run)).toMatchObject({ result: "done", is_error: false, num_turns: 4, sandbox: "bwrap" });
    expect(readFileSync(join(lab.work, "a.txt"), "utf8")).toBe("two\n");
    expect(lab.model.problems).toEqual([]);
    await lab.run(["daemon", "stop"]);
    const next = await lab.run(["-p", "and?", "-c", "--output-format", "json"]);
    expect(resultOf(next)).toMatchObject({ result: "again" });
    expect(lab.model.problems).toEqual([]);
    const first = lab.model.requests[3]?.body as { messages: unknown[]; system: unknown; tools: unknown };
    const second = lab.model.requests[4]?.body as { messages: unknown[]; system: unknown; tools: unknown };
    expect(stripMarks(second.messages.slice(0, first.messages.length))).toEqual(stripMarks(first.messages));
    expect(stripMarks(second.system)).toEqual(stripMarks(first.system));
    expect(second.tools).toEqual(first.tools);
  });
});

/** Cache marks move; everything else of a prefix stays. */
function stripMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));
}

import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { newResults } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

describe("calls of one reply", () => {
  it("runs six independent commands at once", async () => {
    const calls = Array.from({ length: 6 }, (_, index) => ({
      name: "bash",
      input: { command: `date +%s.%N; sleep 1; date +%s.%N; echo n${index}` },
    }));
    at = await openCase([{ calls }, { text: "ok" }]);
    expect(await at.ask("go")).toMatchObject({ code: 0 });
    const results = newResults(at.model.requests[1]);
    const spans = results.map(({ text }) => [...text.matchAll(/^\d+\.\d+$/gm)].map(Number));
    expect(spans.every((span) => span.length === 2)).toBe(true);
    // Each began before any other ended: no pair ran one after the other.
    const lastStart = Math.max(...spans.map(([start = 0]) => start));
    const firstEnd = Math.min(...spans.map(([, end = 0]) => end));
    expect(lastStart).toBeLessThan(firstEnd);
    for (const [index, { text }] of results.entries()) expect(text).toContain(`n${index}`);
    await at.check();
  });

  it("never mixes changes of one file, and keeps their order", async () => {
    const edit = (path: string, old_text: string, new_text: string) => ({
      name: "edit_file",
      input: { path, old_text, new_text },
    });
    const appends = Array.from({ length: 8 }, (_, index) => ({
      name: "write_file",
      input: { path: "log.txt", content: `${index}\n`, append: true },
    }));
    at = await openCase([
      { calls: [{ name: "read_file", input: { path: "a.txt" } }, ...appends] },
      { calls: [edit("a.txt", "one", "1"), edit("./a.txt", "two", "2"), edit("a.txt", "1 2", "12")] },
      { text: "ok" },
    ]);
    at.put("a.txt", "one two\n");
    expect(await at.ask("go")).toMatchObject({ code: 0 });
    expect(newResults(at.model.requests[2]).map(({ isError }) => isError)).toEqual([false, false, false]);
    expect(at.get("a.txt").toString()).toBe("12\n");
    expect(at.get("log.txt").toString()).toBe("0\n1\n2\n3\n4\n5\n6\n7\n");
    await at.check(["a.txt", "log.txt"]);
  });
});

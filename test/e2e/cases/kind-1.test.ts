import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { memoryPeakMb } from "../../support/memory.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const read = (path: string, more = {}) => ({ calls: [{ name: "read_file", input: { path, ...more } }] });
const edit = (path: string, old_text: string, new_text: string) => ({
  calls: [{ name: "edit_file", input: { path, old_text, new_text } }],
});
const result = (lab: Case, request: number) => newResults(lab.model.requests[request - 1])[0];

describe("kind 1: file edit/write fidelity", () => {
  it("H01 keeps mixed line ends and the missing final newline", async () => {
    at = await openCase([
      read("m.txt"),
      edit("m.txt", "b", "B"),
      edit("m.txt", "B\nc", "B\nC"),
      { text: "ok" },
    ]);
    at.put("m.txt", "a\r\nb\nc\r\nd");
    at.put("other.txt", "untouched\r\n");
    expect(await at.ask("go")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(at.get("m.txt").toString("latin1")).toBe("a\r\nB\nC\r\nd");
    for (const number of [3, 4]) expect(result(at, number)?.isError).toBe(false);
    await at.check(["m.txt"]);
  });

  it.each([
    ["UTF-16", "fffe680069000a00", "fffe68006f000a00"],
    ["UTF-32BE", "0000feff00000068000000690000000a", "0000feff000000680000006f0000000a"],
  ])("H02 never converts half of a %s file", async (_, before, after) => {
    at = await openCase([read("u.txt"), edit("u.txt", "hi", "ho"), { text: "ok" }]);
    at.put("u.txt", Buffer.from(before, "hex"));
    await at.ask("go");
    const now = at.get("u.txt").toString("hex");
    if (now === before)
      expect(result(at, 3)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/encod|binary|not text|UTF/i),
      });
    else expect(now).toBe(after);
    expect(result(at, 2)?.text).not.toMatch(/[\0\ufffd]/);
    await at.check(["u.txt"]);
  });

  it("H03 takes a touch without change for no change, under every spelling of the path", async () => {
    let work = "";
    at = await openCase((_, index) => {
      if (index === 1) {
        const later = Date.now() / 1000 + 3600;
        utimesSync(join(work, "t.txt"), later, later);
        return edit("t.txt", "q", "Q");
      }
      if (index === 2) return read("./t.txt");
      if (index === 3) return edit(join(work, "t.txt"), "p", "P");
      return index === 0 ? read("t.txt") : { text: "ok" };
    });
    work = at.work;
    at.put("t.txt", "p\r\nq\r\n");
    await at.ask("go");
    expect(at.get("t.txt").toString()).toBe("P\r\nQ\r\n");
    for (const number of [3, 5]) expect(result(at, number)?.isError).toBe(false);
    await at.check(["t.txt"]);
  });

  it("H04 refuses a near match and leaves the neighbour whole", async () => {
    const source =
      "function loadUser(id) {\n  return db.get(id);\n}\n\nfunction loadTeam(id) {\n  return db.get(id);\n}\n";
    at = await openCase([
      read("n.js"),
      edit(
        "n.js",
        "function loadUsers(id) {\n  return db.get(id);\n}",
        "function loadUsers(id) { return null; }",
      ),
      { text: "ok" },
    ]);
    at.put("n.js", source);
    await at.ask("go");
    expect(result(at, 3)?.isError).toBe(true);
    await at.check();
  });

  it("H05 counts overlapping matches as ambiguous", async () => {
    at = await openCase([
      read("o.txt"),
      edit("o.txt", "go;\ngo;", "y"),
      edit("o.txt", "zzz", "y"),
      edit("o.txt", "", "y"),
      { text: "ok" },
    ]);
    at.put("o.txt", "go;\ngo;\ngo;\n");
    expect(await at.ask("go")).toMatchObject({ code: 0 });
    expect(result(at, 3)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/more than one|2 (places|times|matches)|overlap/i),
    });
    expect(result(at, 4)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not (found|in)|no match/i),
    });
    expect(result(at, 5)?.isError).toBe(true);
    await at.check();
  });

  it("H06 reads one line of 3 MB in bounded pieces", async () => {
    let first = "";
    at = await openCase((request, index) => {
      if (index === 0) return read("big.json");
      if (index > 1) return { text: "ok" };
      first = newResults(request)[0]?.text ?? "";
      const next = /start_char[^0-9]*(\d+)/.exec(first);
      const line = /offset[^0-9]*(\d+)/.exec(first);
      return read("big.json", {
        start_char: Number(next?.[1]),
        ...(line ? { offset: Number(line[1]) } : {}),
      });
    });
    const big = `[${Array.from({ length: 300_000 }, (_, index) => `{"k":${index}}`).join(",")}]`;
    at.put("big.json", big);
    const peak = memoryPeakMb(at);
    const run = await at.ask("go", [], { timeoutMs: 30_000 });
    expect(run.code).toBe(0);
    expect(peak.stop()).toBeLessThan(600);
    const plain = (text: string): string => text.slice(text.indexOf("| ") + 2).split("\n")[0] ?? "";
    expect(plain(first).startsWith('[{"k":0}')).toBe(true);
    expect(first.length).toBeLessThan(200_000);
    const second = plain(result(at, 3)?.text ?? "");
    expect(second.length).toBeGreaterThan(1000);
    const shown = plain(first);
    const end = big.indexOf(second.slice(0, 200));
    expect(shown.slice(0, end)).toBe(big.slice(0, end));
    expect(big.slice(end, end + 1000)).toBe(second.slice(0, 1000));
    expect(end).toBeLessThanOrEqual(shown.length);
    expect(end).toBeGreaterThan(1000);
    await at.check();
  });

  it("H07 keeps a byte order mark once and hides it from the model", async () => {
    at = await openCase([read("b.cs"), edit("b.cs", "naïve();", "café();"), { text: "ok" }]);
    at.put("b.cs", Buffer.from("\ufeffnaïve();\r\nend\r\n"));
    await at.ask("go");
    expect(at.get("b.cs")).toEqual(Buffer.from("\ufeffcafé();\r\nend\r\n"));
    expect(result(at, 2)?.text).not.toContain("\ufeff");
    expect(result(at, 3)?.isError).toBe(false);
    await at.check(["b.cs"]);
  });
});

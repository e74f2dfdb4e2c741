import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { writeProjectConfig, writeUserConfig } from "../../support/config.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const touch = { calls: [{ name: "bash", input: { command: "touch ran" } }] };
const write = (path: string) => ({ calls: [{ name: "write_file", input: { path, content: "x" } }] });

describe("kind 11: config and instructions", () => {
  it.each([
    ["a cut file", '{"permissions": {"deny": ["bash"'],
    ["a list", "[]"],
  ])("H44 does not take %s for no settings", async (_, text) => {
    at = await openCase([touch, { text: "ok" }]);
    writeUserConfig(at, { permissionMode: "ask" });
    const file = writeProjectConfig(at, text);
    const run = await at.ask("go");
    expect(run.code).toBe(52);
    expect(run.stderr).toContain(file);
    expect(run.stderr).toMatch(/:1(:\d+)?|line 1/);
    expect(existsSync(join(at.work, "ran"))).toBe(false);
    expect(readFileSync(file, "utf8")).toBe(text);
    await at.check();
  });

  it("H44 takes an empty file for empty settings, with a warning", async () => {
    at = await openCase([touch, { text: "ok" }]);
    const file = writeProjectConfig(at, "");
    const run = await at.ask("go");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(file);
    expect(existsSync(join(at.work, "ran"))).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("");
    await at.check(["ran"]);
  });

  it("H45 reads settings with a byte order mark, comments and trailing commas", async () => {
    const text =
      '\ufeff{ // note\r\n"permissions": { "deny": [ "edit(x.txt)", ], }, /* c */ "futureKey": 1, }\r\n';
    at = await openCase([write("x.txt"), write("y.txt"), { text: "ok" }]);
    const file = writeProjectConfig(at, text);
    const run = await at.ask("go");
    expect(newResults(at.model.requests[1])[0]).toMatchObject({ isError: true });
    expect(newResults(at.model.requests[1])[0]?.text).toMatch(/denied/i);
    expect(existsSync(join(at.work, "x.txt"))).toBe(false);
    expect(at.get("y.txt").toString()).toBe("x");
    expect(run.code).toBe(60);
    expect(readFileSync(file, "utf8")).toBe(text);
    await at.check(["y.txt"]);
  });

  it("H47 cuts a very large instruction file at a character, and says so", async () => {
    at = await openCase([{ text: "ok" }]);
    const lines = Array.from({ length: 180_000 }, (_, index) => `LINE ${index + 1} 🌲🌲`);
    at.put("AGENTS.md", `${lines.join("\n")}\nLAST-MARK`);
    const run = await at.ask("hi");
    expect(run.code).toBe(0);
    const raw = at.model.requests[0]?.raw ?? Buffer.alloc(0);
    expect(raw.length).toBeLessThan(1_200_000);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
    expect(text).toContain("LINE 1 🌲");
    expect(text).not.toContain("\ufffd");
    expect(run.stderr).toMatch(/AGENTS\.md.*(cut|first|kept)/i);
    expect(run.stderr).toMatch(/\d+ ?(KB|KiB|bytes|characters)/i);
    await at.check();
  });
});

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "./log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = (): number => Date.UTC(2026, 11, 1);
const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("createLog", () => {
  it("writes JSON lines from its level on, readable by this user only", () => {
    const file = join(folder, "logs", "daemon.log");
    const log = createLog({ file, level: "info", now });
    log.write("debug", "not this");
    log.write("warn", "two\nlines", { session: "s1", error: new Error("broken") });
    log.setLevel("debug");
    log.write("debug", "but this");
    log.close();
    log.write("error", "after the end");
    const lines = linesOf(file);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      time: "2026-12-01T00:00:00.000Z",
      level: "warn",
      message: "two\nlines",
    });
    expect(lines[0]?.error).toContain("Error: broken");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "logs")).mode & 0o777).toBe(0o700);
  });

  it("keeps two files of at most the size, also over restarts", () => {
    const file = join(folder, "daemon.log");
    for (let start = 0; start < 3; start++) {
      const log = createLog({ file, level: "info", now, maxBytes: 1000 });
      for (let index = 0; index < 20; index++) log.write("info", `line ${start}.${index} ${"x".repeat(60)}`);
      log.close();
    }
    for (const name of [file, `${file}.1`]) expect(statSync(name).size).toBeLessThanOrEqual(1000);
    expect(linesOf(file).at(-1)?.message).toContain("line 2.19");
  });

  it("never writes keys", () => {
    const file = join(folder, "daemon.log");
    const log = createLog({ file, level: "info", now });
    log.hide("correct-horse-battery");
    log.write("info", "key correct-horse-battery and sk-ant-api03-abcdefghijklmnop", {
      headers: { Authorization: "Bearer abc", "x-api-key": "v", accept: "text/plain" },
      credentials: { OPENAI_API_KEY: "plain" },
      url: "https://user:hunter2@example.com/?token=abcdef&page=1",
      nested: [{ text: "Authorization: Bearer abcdefghijkl" }],
    });
    log.close();
    const text = readFileSync(file, "utf8");
    for (const secret of [
      "correct-horse",
      "abcdefghijkl",
      "hunter2",
      'plain"',
      "abcdef&",
      '"v"',
      "Bearer abc",
    ]) {
      expect(text.replace("text/plain", "")).not.toContain(secret);
    }
    expect(text).toContain("page=1");
    expect(text).toContain("text/plain");
  });

  it("cuts a huge line and survives what JSON cannot hold", () => {
    const file = join(folder, "daemon.log");
    const log = createLog({ file, level: "info", now });
    const loop: Record<string, unknown> = { big: 10n };
    loop.self = loop;
    log.write("info", "loop", { loop });
    log.write("info", "y".repeat(100_000));
    log.close();
    const lines = linesOf(file);
    expect(lines).toHaveLength(2);
    expect(statSync(file).size).toBeLessThan(10_000);
    expect(lines[1]?.cut).toBeGreaterThan(100_000);
  });

  it("goes on in a new file after reopen, and says nothing when it cannot write", () => {
    const file = join(folder, "daemon.log");
    const log = createLog({ file, level: "info", now });
    log.write("info", "before");
    renameSync(file, join(folder, "moved"));
    log.reopen();
    log.write("info", "after");
    log.close();
    expect(linesOf(file).map((line) => line.message)).toEqual(["after"]);

    mkdirSync(join(folder, "in-the-way"));
    const blind = createLog({ file: join(folder, "in-the-way"), level: "info", now });
    expect(() => blind.write("error", "lost")).not.toThrow();
  });
});

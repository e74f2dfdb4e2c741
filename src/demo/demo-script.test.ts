import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyDemoProject, demoScript } from "./demo-script.ts";
import type { ScriptedCall, Turn } from "./scripted-model/types.ts";

const SOURCE = join(import.meta.dirname, "project");
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lathe-demo-"));
  await copyDemoProject(SOURCE, join(folder, "project"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const project = (...path: string[]): string => join(folder, "project", ...path);

function runTests(): { status: number | null; counts: string } {
  const run = spawnSync(process.execPath, ["--test", "--test-reporter=tap"], {
    cwd: project(),
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  return { status: run.status, counts: run.stdout.match(/^# (tests|pass|fail) \d+$/gm)?.join(", ") ?? "" };
}

/** Calls of the script in order, by what they hold. */
const turns = demoScript() as Turn[];
const calls = turns.flatMap((turn) => turn.calls ?? []) as (ScriptedCall & {
  input: Record<string, string>;
})[];
const named = (name: string) => calls.filter((call) => call.name === name).map((call) => call.input);

describe("the demo's project", () => {
  it("fails one test before the script's edits and none after", () => {
    expect(runTests()).toEqual({ status: 1, counts: "# tests 9, # pass 8, # fail 1" });
    for (const { path = "", old_text = "", new_text = "" } of named("edit_file")) {
      const parts = readFileSync(project(path), "utf8").split(old_text);
      expect(parts.length).toBe(2);
      writeFileSync(project(path), parts.join(new_text));
    }
    expect(runTests()).toEqual({ status: 0, counts: "# tests 9, # pass 9, # fail 0" });
    expect(turns.at(-1)?.text).toContain("all 9 tests pass");
  });

  it("has the test command that the script runs", () => {
    const { scripts } = JSON.parse(readFileSync(project("package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(scripts.test).toBe("node --test");
    expect(named("bash").map(({ command }) => command)).toEqual([scripts.test, scripts.test]);
  });
});

describe("the demo's script", () => {
  it("uses the tools it is made to show, and reads every file before it edits it", () => {
    expect([...new Set(calls.map((call) => call.name))].sort()).toEqual([
      "bash",
      "edit_file",
      "list_files",
      "read_file",
    ]);
    for (const call of calls.filter(({ name }) => name !== "bash")) {
      expect(() => statSync(project(call.input.path ?? ""))).not.toThrow();
    }
    for (const edit of named("edit_file")) expect(named("read_file")).toContainEqual({ path: edit.path });
    expect(turns.at(-1)?.calls).toBeUndefined();
  });
});

describe("copyDemoProject", () => {
  it("copies every file, writable, and nothing else", () => {
    const list = (path: string): string[] => readdirSync(path, { recursive: true }).map(String).sort();
    expect(list(project())).toEqual(list(SOURCE));
    expect(list(SOURCE)).toContain(join("src", "money.js"));
  });

  it("gives a writable project from a read-only one", async () => {
    const installed = join(folder, "installed");
    cpSync(SOURCE, installed, { recursive: true });
    chmodSync(join(installed, "src", "money.js"), 0o444);
    await copyDemoProject(installed, join(folder, "copy"));
    expect(statSync(join(folder, "copy", "src", "money.js")).mode & 0o200).toBe(0o200);
  });

  it("says so when the project is missing", async () => {
    const missing = join(folder, "missing");
    await expect(copyDemoProject(missing, join(folder, "copy"))).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining(missing),
    });
  });
});

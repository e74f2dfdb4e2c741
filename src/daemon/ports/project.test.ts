import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { projectOf } from "./project.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-project-")));
  mkdirSync(join(base, "a/b/c"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("a folder without git is its own project; below git the work tree's top is, through links too", async () => {
  expect(await projectOf(join(base, "a/b/c"))).toBe(join(base, "a/b/c"));
  mkdirSync(join(base, "a/.git"));
  symlinkSync(join(base, "a/b/c"), join(base, "link"));
  expect(await projectOf(join(base, "link"))).toBe(join(base, "a"));
  writeFileSync(join(base, "a/b/.git"), "gitdir: elsewhere\n");
  expect(await projectOf(join(base, "a/b/c"))).toBe(join(base, "a/b"));
});

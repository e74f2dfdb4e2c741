import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Place } from "../protocol/tool.ts";
import { resolveInPlace } from "./file-guard.ts";

let base: string;
let tmp: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join("/tmp", "lathe-guard-")));
  tmp = join(realpathSync(tmpdir()), `${base.slice(base.lastIndexOf("/") + 1)}-private`);
  mkdirSync(join(base, "work"));
  mkdirSync(join(base, "sibling"));
  mkdirSync(tmp);
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
  rmSync(tmp, { recursive: true, force: true });
});

const place = (root: string): Place => ({ cwd: root, roots: [root], home: "/nowhere", tmp });
const resolved = async (where: Place, path: string, final?: "keep"): Promise<string> => {
  const real = await resolveInPlace(where, path, final);
  return real.ok ? real.value : real.error.code;
};

test("/tmp is the private one for a work tree elsewhere", async () => {
  const where = place("/usr");
  expect(await resolved(where, "/tmp")).toBe(tmp);
  expect(await resolved(where, "/tmp/a/b.txt")).toBe(join(tmp, "a/b.txt"));
  expect(await resolved(where, base)).toBe(join(tmp, base.slice("/tmp/".length)));
  expect(await resolved(where, "/tmp/../etc")).toBe("/etc");
});

test.runIf(realpathSync("/tmp") === "/tmp")(
  "a work tree below /tmp stays itself, the rest is private",
  async () => {
    const work = join(base, "work");
    const where = place(work);
    expect(await resolved(where, "a.txt")).toBe(join(work, "a.txt"));
    expect(await resolved(where, join(work, "a.txt"))).toBe(join(work, "a.txt"));
    expect(await resolved(where, "/tmp/new-file-of-no-one.txt")).toBe(join(tmp, "new-file-of-no-one.txt"));
    expect(await resolved(where, join(base, "sibling/x"))).toBe(join(base, "sibling/x"));
    expect(await resolved(where, "../x")).toBe(join(base, "x"));
    expect(await resolved(where, `${work}/../../x`)).toBe("/tmp/x");
    expect(await resolved(where, join(tmp, "x"))).toBe(join(tmp, "x"));
  },
);

test("links are followed to the end, dangling ones too, or kept when asked", async () => {
  const work = join(base, "work");
  const where = place(work);
  writeFileSync(join(base, "sibling/real"), "");
  symlinkSync("../sibling", join(work, "dir"));
  symlinkSync("dir/later", join(work, "dangling"));
  symlinkSync("loop", join(work, "loop"));
  expect(await resolved(where, "dir/real")).toBe(join(base, "sibling/real"));
  expect(await resolved(where, "dangling")).toBe(join(base, "sibling/later"));
  expect(await resolved(where, "dir", "keep")).toBe(join(work, "dir"));
  expect(await resolved(where, "loop")).toBe("invalid");
  expect(await resolved(where, "a\0b")).toBe("invalid");
});

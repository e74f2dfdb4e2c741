import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holdDirectory, holdParent, openJudged } from "./handles.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-handles-")));
  mkdirSync(join(base, "work/dir"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "work/dir/f.txt"), "inside");
  writeFileSync(join(base, "outside/f.txt"), "outside");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What a command does that races with a tool: the judged directory becomes a link to elsewhere. */
function swap(): void {
  renameSync(join(base, "work/dir"), join(base, "work/moved"));
  symlinkSync(join(base, "outside"), join(base, "work/dir"));
}

test("a directory swapped for a link before the open is refused", async () => {
  swap();
  await expect(openJudged(join(base, "work/dir/f.txt"))).rejects.toMatchObject({ code: "ESTALE" });
  await expect(holdDirectory(join(base, "work/dir"))).rejects.toThrow();
  await expect(holdParent(join(base, "work/dir/new/x.txt"), true)).rejects.toThrow();
  expect(readdirSync(join(base, "outside"))).toEqual(["f.txt"]);
});

test.runIf(process.platform === "linux")("one swapped after the open changes nothing", async () => {
  const held = await holdDirectory(join(base, "work/dir"));
  swap();
  await writeFile(held.at("new.txt"), "x");
  await held.close();
  expect(readdirSync(join(base, "outside"))).toEqual(["f.txt"]);
  expect(readdirSync(join(base, "work/moved"))).toEqual(["f.txt", "new.txt"]);
});

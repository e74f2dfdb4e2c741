import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { writeFileTool } from "./write-file.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const write = (input: Parameters<ToolLab["run"]>[1]) => lab.run(writeFileTool, input);

test("a new file gets its directories; size and path are reported", async () => {
  const output = await write({ path: "a/b.txt", content: "höhö\n" });
  expect(textOf(output)).toBe("Created a/b.txt (7 bytes).");
  expect(readFileSync(join(lab.work, "a/b.txt"), "utf8")).toBe("höhö\n");
  expect(textOf(await write({ file_path: "a/b.txt", file_text: "x" }))).toBe("Wrote a/b.txt (1 bytes).");
  expect(textOf(await write({ path: "a/b.txt", content: "yz", command: "append" }))).toBe(
    "Appended 2 bytes to a/b.txt (now 3 bytes).",
  );
  expect(lab.rows).toHaveLength(3);
});

test("an existing unread file and a place outside are refused", async () => {
  writeFileSync(join(lab.work, "old.txt"), "old");
  expect(textOf(await write({ path: "old.txt", content: "new" }))).toContain("Read ");
  expect(textOf(await write({ path: "~/x.txt", content: "new" }))).toContain("Path escapes workspace");
  expect(textOf(await write({ path: "x.txt" }))).toBe('Missing required parameter "content".');
  expect(readFileSync(join(lab.work, "old.txt"), "utf8")).toBe("old");
});

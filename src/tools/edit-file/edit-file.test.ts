import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { editFileTool } from "./edit-file.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

async function readFirst(content: string): Promise<void> {
  writeFileSync(join(lab.work, "f.txt"), content);
  await lab.context.files.readText(join(lab.work, "f.txt"), { maxChars: 1000 });
}
const edit = (input: Parameters<ToolLab["run"]>[1]) => lab.run(editFileTool, { path: "f.txt", ...input });
const now = (): string => readFileSync(join(lab.work, "f.txt"), "utf8");

test("the first of two matches is replaced, and the result says which of how many", async () => {
  await readFirst("a\nb\na\n");
  const output = await edit({ old_string: "a", new_string: "A" });
  expect(textOf(output)).toBe("Edited f.txt: replaced 1 of 2, line 1; others at line 3.");
  expect(now()).toBe("A\nb\na\n");
  expect(output.display).toMatchObject({ type: "diff", added: 1, removed: 1 });
});

test("all are replaced when that is said, in words too", async () => {
  await readFirst("a\nb\na\n");
  expect(textOf(await edit({ old_text: "a", new_text: "A", replace_all: "true" }))).toBe(
    "Edited f.txt: replaced 2 of 2, line 1 and 3.",
  );
  expect(textOf(await edit({ old_text: "A", new_text: "x", expected_matches: 1 }))).toContain(
    "occurs 2 times",
  );
  await edit({ old_text: "A", new_text: "x", expected_replacements: 2 });
  expect(now()).toBe("x\nb\nx\n");
});

test("a miss, an unread file and an empty text are errors with the way on", async () => {
  writeFileSync(join(lab.work, "f.txt"), "a\n");
  expect(textOf(await edit({ old_text: "a", new_text: "b" }))).toContain("Read ");
  await readFirst("a\n");
  expect(textOf(await edit({ old_text: "zzz", new_text: "b" }))).toContain("was not found");
  expect(textOf(await edit({ old_text: "", new_text: "b" }))).toContain("write_file");
  expect(textOf(await edit({ old_text: "a" }))).toBe('Missing required parameter "new_text".');
  expect(now()).toBe("a\n");
});

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../test/support/tool-context.ts";
import { allTools, findTool, toolSpecs } from "./registry.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const put = (name: string, content = ""): void => writeFileSync(join(lab.work, name), content);
const run = async (name: string, input: Parameters<ToolLab["run"]>[1]): Promise<string> =>
  textOf(await lab.run(findTool(name, input)!, input));

test("tools are found by their names elsewhere, in any case", () => {
  const names: [string, string][] = [
    ["Bash", "bash"],
    ["run_command", "bash"],
    ["bash_executor", "bash"],
    ["shell", "bash"],
    ["execute_command", "bash"],
    ["Read", "read_file"],
    ["ReadFile", "read_file"],
    ["file_read", "read_file"],
    ["view", "read_file"],
    ["cat", "read_file"],
    ["Write", "write_file"],
    ["file_write", "write_file"],
    ["create_file", "write_file"],
    ["Edit", "edit_file"],
    ["str_replace", "edit_file"],
    ["search_code", "grep"],
    ["Grep", "grep"],
    ["file_search", "glob"],
    ["Glob", "glob"],
    ["LS", "list_files"],
    ["list_dir", "list_files"],
    ["Delete", "delete_file"],
    ["Move", "move_file"],
  ];
  expect(names.map(([name]) => [name, findTool(name)?.name])).toEqual(names);
  expect(findTool("no_such_tool")).toBeUndefined();
});

test("no name means two tools", () => {
  const names = allTools
    .flatMap((tool) => [tool.name, ...tool.aliases])
    .map((name) => name.replaceAll("_", ""));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("an editor with sub-operations leads to the tool of each", () => {
  const byCommand = (command: string) => findTool("str_replace_based_edit_tool", { command })?.name;
  expect(["view", "create", "str_replace", "append", "delete", "move", "fly"].map(byCommand)).toEqual([
    "read_file",
    "write_file",
    "edit_file",
    "write_file",
    "delete_file",
    "move_file",
    undefined,
  ]);
});

test("the specs are small, stable, and can be chosen", () => {
  const bytes = (names?: string[]) => Buffer.byteLength(JSON.stringify(toolSpecs(names)));
  const mainJob = allTools.slice(0, 9).map((tool) => tool.name);
  expect(bytes(mainJob)).toBeLessThanOrEqual(4500);
  expect(bytes()).toBeLessThanOrEqual(6200);
  expect(toolSpecs(["grep", "Bash"]).map((spec) => spec.name)).toEqual(["bash", "grep"]);
  expect(toolSpecs(["read_file"])[0]?.description).toContain("Preferred over cat, head and tail");
});

test("grep answers in lines of path, number and text", async () => {
  put("a.txt", "one\nTwo\nthree\n");
  expect(await run("grep", { pattern: "two" })).toBe("a.txt:2: Two");
  expect(await run("Grep", { pattern: "two", "-C": 1 })).toBe("a.txt-1- one\na.txt:2: Two\na.txt-3- three");
  expect(await run("Grep", { pattern: "two", "-i": false })).toBe('No matches for "two".');
  put("many.txt", "hit\n".repeat(60));
  const text = await run("search_code", { pattern: "hit" });
  expect(text.split("\n")).toHaveLength(51);
  expect(text).toContain("stopped at 50 matches");
});

test("glob and list_files answer in paths", async () => {
  mkdirSync(join(lab.work, "src"));
  put("src/a.ts");
  put("b.md");
  expect(await run("glob", { pattern: "**/*.ts" })).toBe("src/a.ts");
  expect(await run("glob", { pattern: join(lab.work, "src/*.ts") })).toBe("src/a.ts");
  expect(await run("glob", { pattern: "*.py" })).toBe("No files match *.py.");
  expect(await run("glob", { pattern: "../*" })).toContain("Path escapes workspace");
  expect(await run("ls", {})).toBe("b.md\nsrc/\nsrc/a.ts");
  for (let index = 0; index < 300; index++) put(`src/f${index}.txt`);
  expect((await run("list_files", { path: "src" })).split("\n")).toHaveLength(200);
});

test("move_file and delete_file change the tree and report each file", async () => {
  put("a.txt", "a");
  expect(await run("mv", { source: "a.txt", destination: "sub/b.txt" })).toBe("Moved a.txt to sub/b.txt.");
  expect(await run("delete", { path: "sub" })).toBe("Deleted sub (1 file).");
  expect(existsSync(join(lab.work, "sub"))).toBe(false);
  expect(lab.rows).toHaveLength(3);
});

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Rule } from "../protocol/permission.ts";
import { loadConfig } from "./layers.ts";
import { saveRule } from "./project-rules.ts";
import { readIfThere } from "./read-file.ts";
import { type Folders, makeFolders } from "./testing/folders.ts";

let folders: Folders;
beforeEach(() => {
  folders = makeFolders();
});
afterEach(() => folders.remove());

const RULE: Rule = { effect: "allow", tool: "bash", match: "npm test", scope: "user", source: "approval 1" };
const rulesAt = (cwd: string) =>
  loadConfig({ paths: folders.paths, cwd, trusted: false, environment: {}, readFile: readIfThere }).rules;

it("keeps a project's grants for its folder and what lies below, nowhere else, though it is not trusted", async () => {
  await saveRule(folders.paths, { rule: RULE, scope: "project" }, "/p/a");
  await saveRule(folders.paths, { rule: RULE, scope: "project" }, "/p/a");
  await saveRule(folders.paths, { rule: { ...RULE, match: "make" }, scope: "project" }, "/p/a");
  const file = folders.paths.projectRulesFile;
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    "/p/a": { allow: ["bash(npm test)", "bash(make)"] },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(rulesAt("/p/a/b").map((rule) => [rule.text, rule.scope, rule.source])).toEqual([
    ["bash(npm test)", "user", `${file}:4`],
    ["bash(make)", "user", `${file}:5`],
  ]);
  for (const other of ["/p", "/p/ab", "/"]) expect(rulesAt(other)).toEqual([]);
});

it("keeps nothing of a grant for the task, and one for everywhere in the settings", async () => {
  await saveRule(folders.paths, { rule: RULE, scope: "task" }, "/p/a");
  expect(rulesAt("/p/a")).toEqual([]);
  await saveRule(folders.paths, { rule: RULE, scope: "everywhere" }, "/p/a");
  expect(rulesAt("/q").map((rule) => rule.source)).toEqual([
    expect.stringContaining(folders.paths.configFile),
  ]);
});

it.each([
  ['{"p": {}}', /:1:\d+: "p" is no absolute path/],
  ['{"/p": []}', /"\/p" must be an object/],
  ['{"/p": {"alow": []}}', /"alow" is none of deny, ask and allow/],
  ['{"/p": {"deny": [1]}}', /"deny" must be a list of rules/],
  ['{"/q": {"deny": "x"}}', /"deny" must be a list of rules/],
  ['{"/p": {"deny": ["bash(\\"x)"]}}', /the deny rule .* is not valid/],
  ["{", /Correct the file/],
])("refuses %s with its place", async (text, message) => {
  folders.write(join(folders.paths.configDir, "project-rules.json"), text);
  expect(() => rulesAt("/p")).toThrow(message);
  await expect(
    saveRule(folders.paths, { rule: RULE, scope: "project" }, "/p").then(() => rulesAt("/p")),
  ).rejects.toMatchObject({ code: "config" });
});

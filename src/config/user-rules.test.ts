import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Rule } from "../protocol/permission.ts";
import { type Folders, makeFolders } from "./testing/folders.ts";
import { addUserRule } from "./user-rules.ts";

let folders: Folders;
beforeEach(() => {
  folders = makeFolders();
});
afterEach(() => folders.remove());

const RULE: Rule = {
  effect: "allow",
  tool: "bash",
  match: "git commit *",
  scope: "session",
  source: "approval",
};
const content = (): string => readFileSync(folders.paths.configFile, "utf8");

it("makes the file when there is none, for this user alone", async () => {
  await addUserRule(folders.paths, RULE);
  expect(JSON.parse(content())).toEqual({ permissions: { allow: ["bash(git commit *)"] } });
  expect(statSync(folders.paths.configFile).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(folders.paths.configFile))).toEqual(["config.json"]);
  expect(folders.load().rules).toMatchObject([
    { text: "bash(git commit *)", effect: "allow", scope: "user" },
  ]);
});

it("keeps comments, BOM, line ends and what else is there, and adds a rule once", async () => {
  const before =
    '\uFEFF{\r\n  // mine\r\n  "model": "a/b", /* c */\r\n  "permissions": {\r\n    "allow": ["read"], // all\r\n  },\r\n}\r\n';
  folders.write(folders.paths.configFile, before);
  await addUserRule(folders.paths, RULE);
  await addUserRule(folders.paths, RULE);
  const after = content();
  expect(after.startsWith("\uFEFF{\r\n  // mine\r\n")).toBe(true);
  expect(after).toContain("/* c */");
  expect(after).toContain("// all");
  expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  expect(folders.load().rules.map((rule) => rule.text)).toEqual(["read", "bash(git commit *)"]);
});

it("follows a link and keeps it", async () => {
  const target = folders.write(join(folders.paths.home, "dotfiles", "lathe.json"), "");
  mkdirSync(folders.paths.configDir, { recursive: true });
  symlinkSync(target, folders.paths.configFile);
  await addUserRule(folders.paths, { ...RULE, match: undefined, tool: "fetch", effect: "deny" });
  expect(lstatSync(folders.paths.configFile).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(target, "utf8"))).toEqual({ permissions: { deny: ["fetch"] } });
});

it.each(['{"permissions": []}', '{"permissions": {"allow": "read"}}'])("leaves %s as it is", async (text) => {
  folders.write(folders.paths.configFile, text);
  await expect(addUserRule(folders.paths, RULE)).rejects.toMatchObject({ code: "config" });
  expect(content()).toBe(text);
});

it("never replaces a broken file", async () => {
  folders.write(folders.paths.configFile, '{"permissions": {');
  await expect(addUserRule(folders.paths, RULE)).rejects.toMatchObject({ code: "config" });
  expect(content()).toBe('{"permissions": {');
});

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonObject } from "../../src/protocol/ids.ts";
import type { PermissionMode, RuleEffect, RuleScope } from "../../src/protocol/permission.ts";
import type { Lab } from "./lab.ts";

/** One case of test/security/permission-cases.json. */
export type PermissionCase = {
  id: string;
  kind: string;
  rules: { effect: RuleEffect; tool: string; match?: string; scope?: RuleScope }[];
  mode: string;
  tool: string;
  args: JsonObject;
  expect: string | string[];
  trusted?: boolean;
  fs?: [string, string, string?][];
};

export const permissionCases = (
  JSON.parse(readFileSync(new URL("../security/permission-cases.json", import.meta.url), "utf8")) as {
    cases: PermissionCase[];
  }
).cases;

const MODES: Record<string, PermissionMode> = { plan: "read-only", default: "ask", full: "bypass" };
export const modeOf = ({ mode }: PermissionCase): PermissionMode => MODES[mode] ?? (mode as PermissionMode);

/** The cases name /w and /h; in a lab they are its work tree and its home, which have the same names. */
export function inLab(lab: Lab, text: string): string {
  const base = dirname(lab.work);
  return text
    .replace(/(^|[\s"'=])\/(w|h)(?=\/|$)/g, (_, before: string, name: string) => `${before}${base}/${name}`)
    .replaceAll(".agent", ".lathe");
}

/** The files and links that a case needs; the answer takes them away. */
export function placeFiles(lab: Lab, one: PermissionCase): () => void {
  const made = (one.fs ?? []).map(([kind, path, target]) => {
    const real = inLab(lab, path);
    mkdirSync(dirname(real), { recursive: true });
    if (kind === "link") symlinkSync(inLab(lab, target ?? ""), real);
    else writeFileSync(real, "x");
    return real;
  });
  return () => {
    for (const path of made) rmSync(path, { force: true });
  };
}

/** The call of a case by the names of lathe's tools. */
export function callOf(lab: Lab, one: PermissionCase): { name: string; input: JsonObject } {
  const path = inLab(lab, String(one.args.path));
  switch (one.tool) {
    case "Shell":
      return { name: "bash", input: { ...one.args, command: inLab(lab, String(one.args.command)) } };
    case "Read":
      return { name: "read_file", input: { path } };
    case "Edit":
      return { name: "write_file", input: { path, content: "x\n" } };
    case "Fetch":
      return { name: "fetch", input: { url: String(one.args.url) } };
    default:
      throw new Error(`no tool for ${one.tool}`);
  }
}

const FAMILIES: Record<string, string> = { Shell: "bash", Read: "read", Edit: "edit", Fetch: "fetch" };
export const familyOf = (tool: string): string => FAMILIES[tool] ?? tool;

/** The rules of a case as texts: `deny bash(curl *)`. */
export const ruleTexts = (lab: Lab, one: PermissionCase): string[] =>
  one.rules.map(({ effect, tool, match }) => {
    const pattern = match === undefined ? "" : `(${inLab(lab, match)})`;
    return `${effect} ${familyOf(tool)}${pattern}`;
  });

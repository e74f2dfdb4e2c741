import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { Rule } from "../protocol/permission.ts";
import { errorCode } from "../shared/error.ts";
import type { LathePaths } from "./paths.ts";
import { parseSettings } from "./read-file.ts";

/**
 * Adds a rule that the user chose to the user's own file, keeping its comments and layout. AppError `config`
 * when the file is broken: it is never replaced.
 */
export function addUserRule(paths: LathePaths, rule: Rule): Promise<void> {
  const file = paths.configFile;
  const text = readOrEmpty(file);
  const { value } = parseSettings(file, text, []);
  const rules = listAt(value, rule.effect);
  const written = ruleText(rule);
  if (rules.includes(written)) return Promise.resolve();
  const edits = modify(text === "" ? "{}" : text, ["permissions", rule.effect, rules.length], written, {
    isArrayInsertion: true,
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, applyEdits(text === "" ? "{}" : text, edits), { mode: 0o600 });
  renameSync(draft, file);
  return Promise.resolve();
}

/** A rule as people write it. */
export function ruleText(rule: Pick<Rule, "tool" | "match">): string {
  return rule.match === undefined ? rule.tool : `${rule.tool}(${rule.match})`;
}

function listAt(value: Record<string, unknown>, effect: string): unknown[] {
  const { permissions } = value;
  const list =
    typeof permissions === "object" && permissions !== null
      ? (permissions as Record<string, unknown>)[effect]
      : null;
  return Array.isArray(list) ? list : [];
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

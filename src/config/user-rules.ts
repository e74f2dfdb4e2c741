import { chmodSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { Rule } from "../protocol/permission.ts";
import { errorCode } from "../shared/error.ts";
import type { LathePaths } from "./paths.ts";
import { type ParsedFile, parseSettings, readIfThere } from "./read-file.ts";

const BOM = "\uFEFF";

/**
 * Adds a rule that the user chose to the user's own file, keeping its comments, layout, line ends and BOM; the
 * file is replaced at once, mode 0600, also behind a link. AppError `config` when it is broken: it is never
 * replaced.
 */
export async function addUserRule(paths: LathePaths, rule: Rule): Promise<void> {
  appendRule(paths.configFile, ["permissions", rule.effect], rule);
}

/** Adds a rule to the list of rules at a place of a settings file; one that is there already is not repeated. */
export function appendRule(path: string, at: readonly string[], rule: Rule): void {
  const file = targetOf(path);
  const text = readIfThere(file) ?? "";
  const rules = listAt(parseSettings(path, text, []), at);
  const written = ruleText(rule);
  if (rules.includes(written)) return;
  const mark = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(mark.length).trim() === "" ? "{}\n" : text.slice(mark.length);
  const edits = modify(body, [...at, rules.length], written, {
    isArrayInsertion: true,
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: body.includes("\r\n") ? "\r\n" : "\n" },
  });
  replaceFile(file, mark + applyEdits(body, edits));
}

/** The file that a link leads to, so that the link stays one. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return file;
    throw error;
  }
}

function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** A rule as people write it. */
export function ruleText(rule: Pick<Rule, "tool" | "match">): string {
  return rule.match === undefined ? rule.tool : `${rule.tool}(${rule.match})`;
}

/** The list at a place, empty when there is none yet; anything else on the way there is an AppError `config`. */
function listAt(parsed: ParsedFile, at: readonly string[]): unknown[] {
  let value: unknown = parsed.value;
  for (const [index, key] of at.entries()) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw parsed.errorAt(at.slice(0, index), `"${at[index - 1]}" must be an object`);
    if (!Object.hasOwn(value, key)) return [];
    value = (value as Record<string, unknown>)[key];
  }
  if (!Array.isArray(value)) throw parsed.errorAt([...at], `"${at.at(-1)}" must be a list of rules`);
  return value;
}

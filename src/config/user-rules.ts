import { chmodSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { Rule } from "../protocol/permission.ts";
import { errorCode } from "../shared/error.ts";
import type { LathePaths } from "./paths.ts";
import { parseSettings, readIfThere } from "./read-file.ts";

const BOM = "\uFEFF";

/**
 * Adds a rule that the user chose to the user's own file, keeping its comments, layout, line ends and BOM; the
 * file is replaced at once, mode 0600, also behind a link. AppError `config` when it is broken: it is never
 * replaced.
 */
export async function addUserRule(paths: LathePaths, rule: Rule): Promise<void> {
  const file = targetOf(paths.configFile);
  const text = readIfThere(file) ?? "";
  const { value } = parseSettings(paths.configFile, text, []);
  const rules = listAt(value, rule.effect);
  const written = ruleText(rule);
  if (rules.includes(written)) return;
  const mark = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(mark.length).trim() === "" ? "{}\n" : text.slice(mark.length);
  const edits = modify(body, ["permissions", rule.effect, rules.length], written, {
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

function listAt(value: Record<string, unknown>, effect: string): unknown[] {
  const { permissions } = value;
  const list =
    typeof permissions === "object" && permissions !== null
      ? (permissions as Record<string, unknown>)[effect]
      : null;
  return Array.isArray(list) ? list : [];
}

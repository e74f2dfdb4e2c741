import type { Grant, RuleEffect } from "../protocol/permission.ts";
import { isWithin } from "../shared/fs.ts";
import { checkRule } from "./check-rules.ts";
import type { RuleText } from "./loaded-config.ts";
import type { LathePaths } from "./paths.ts";
import { type ConfigNotice, type ParsedFile, parseSettings } from "./read-file.ts";
import { addUserRule, appendRule } from "./user-rules.ts";

const EFFECTS: readonly RuleEffect[] = ["deny", "ask", "allow"];

/**
 * Keeps a lasting grant: "everywhere" in the user's settings, "project" in the user's file of rules for single
 * projects, under the real path of the folder. Never in the project itself, where a checkout could bring its
 * own. AppError `config` when the file is broken.
 */
export async function saveRule(
  paths: LathePaths,
  { rule, scope }: Pick<Grant, "rule" | "scope">,
  folder: string,
): Promise<void> {
  if (scope === "everywhere") await addUserRule(paths, rule);
  else if (scope === "project") appendRule(paths.projectRulesFile, [folder, rule.effect], rule);
}

/**
 * The user's rules for a folder: those that the file keeps for it and for the folders above it. They are the
 * user's own, so they hold whether or not the folder is trusted. AppError `config` for a broken file.
 */
export function readProjectRules(
  file: string,
  text: string,
  cwd: string,
  notices: ConfigNotice[],
): RuleText[] {
  const parsed = parseSettings(file, text, notices);
  return Object.entries(parsed.value).flatMap(([folder, rules]) => {
    if (!folder.startsWith("/"))
      throw parsed.errorAt([folder], `"${folder}" is no absolute path of a folder`);
    const lists = checkShape(folder, rules, parsed);
    return isWithin(folder, cwd) ? rulesOf(folder, lists, parsed, notices) : [];
  });
}

type Lists = Partial<Record<RuleEffect, string[]>>;

function checkShape(folder: string, rules: unknown, parsed: ParsedFile): Lists {
  if (typeof rules !== "object" || rules === null || Array.isArray(rules))
    throw parsed.errorAt([folder], `"${folder}" must be an object with deny, ask and allow`);
  for (const [key, list] of Object.entries(rules)) {
    if (!EFFECTS.some((effect) => effect === key))
      throw parsed.errorAt([folder, key], `"${key}" is none of deny, ask and allow`);
    if (!Array.isArray(list) || list.some((item) => typeof item !== "string"))
      throw parsed.errorAt([folder, key], `"${key}" must be a list of rules`);
  }
  return rules as Lists;
}

function rulesOf(folder: string, lists: Lists, parsed: ParsedFile, notices: ConfigNotice[]): RuleText[] {
  return EFFECTS.flatMap((effect) =>
    (lists[effect] ?? []).flatMap((text, index) => {
      const path = [folder, effect, index];
      const rule = { text, effect, scope: "user" as const, source: `${parsed.file}:${parsed.lineOf(path)}` };
      return checkRule(rule, { parsed, path, foreign: false }, notices) ?? [];
    }),
  );
}

import type { RuleEffect, RuleScope } from "../protocol/permission.ts";
import { AppError } from "../shared/error.ts";
import type { RuleText } from "./loaded-config.ts";
import type { ConfigNotice, ParsedFile } from "./read-file.ts";

/**
 * The permission rules of a `.claude` settings file (CONVENTIONS 5.3), as a layer below our own files. Its
 * other keys belong to the other tool. A project's allow rules need trust, like our own.
 */
export function claudeRules(
  parsed: ParsedFile,
  scope: RuleScope,
  trusted: boolean,
  notices: ConfigNotice[],
): RuleText[] {
  const { permissions } = parsed.value;
  if (permissions === undefined) return [];
  if (typeof permissions !== "object" || permissions === null || Array.isArray(permissions)) {
    throw new AppError(
      "config",
      `${parsed.file}:${parsed.lineOf(["permissions"])}: permissions is no object`,
    );
  }
  const lists = permissions as Record<string, unknown>;
  const rules: RuleText[] = [];
  for (const effect of ["deny", "ask", "allow"] as RuleEffect[]) {
    const list = lists[effect];
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      throw new AppError(
        "config",
        `${parsed.file}:${parsed.lineOf(["permissions", effect])}: permissions.${effect} is no list`,
      );
    }
    if (effect === "allow" && scope === "project" && !trusted) {
      notices.push({ file: parsed.file, text: `${parsed.file}: its allow rules wait for \`lathe trust\`` });
    }
    for (const [index, text] of list.entries()) {
      if (typeof text !== "string") {
        throw new AppError(
          "config",
          `${parsed.file}:${parsed.lineOf(["permissions", effect, index])}: a rule is a text`,
        );
      }
      rules.push({
        text,
        effect,
        scope,
        source: `${parsed.file}:${parsed.lineOf(["permissions", effect, index])}`,
      });
    }
  }
  return rules;
}

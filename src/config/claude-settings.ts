import type { RuleScope } from "../protocol/permission.ts";
import { checkRule } from "./check-rules.ts";
import type { RuleText } from "./loaded-config.ts";
import type { ConfigNotice, ParsedFile } from "./read-file.ts";

/**
 * The permission rules of a `.claude` settings file (CONVENTIONS 5.3), as a layer below our own files. Its
 * other keys belong to the other tool. A project's allow rules need trust, like our own. Rules about tools
 * that lathe does not have are left out with a notice: there is nothing that they could deny here.
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
    throw parsed.errorAt(["permissions"], "permissions must be an object");
  }
  const rules: RuleText[] = [];
  for (const effect of ["deny", "ask", "allow"] as const) {
    const list = (permissions as Record<string, unknown>)[effect];
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      throw parsed.errorAt(["permissions", effect], `permissions.${effect} must be a list`);
    }
    if (effect === "allow" && scope === "project" && !trusted && list.length > 0) {
      notices.push({ file: parsed.file, text: `${parsed.file}: its allow rules wait for \`lathe trust\`` });
    }
    for (const [index, text] of list.entries()) {
      const path = ["permissions", effect, index];
      if (typeof text !== "string") throw parsed.errorAt(path, "a rule must be a text");
      const source = `${parsed.file}:${parsed.lineOf(path)}`;
      const rule = checkRule({ text, effect, scope, source }, { parsed, path, foreign: true }, notices);
      if (rule) rules.push(rule);
    }
  }
  return rules;
}

import { parseRule } from "../protocol/rule-syntax.ts";
import type { RuleText } from "./loaded-config.ts";
import type { ConfigNotice, ParsedFile } from "./read-file.ts";

type Place = {
  parsed: ParsedFile;
  path: (string | number)[];
  /** True for a file of another tool, which may name tools of its own. */
  foreign: boolean;
};

/**
 * Checks the text of one rule. A broken allow rule allows nothing and gives a notice (null). A broken deny or
 * ask rule is never lost: in our own files it is an AppError `config` with its place; in another tool's file it
 * covers its whole tool, or nothing when lathe has no such tool, each with a notice.
 */
export function checkRule(rule: RuleText, place: Place, notices: ConfigNotice[]): RuleText | null {
  const read = parseRule(rule.text, rule);
  if (read.ok) return rule;
  const { parsed, path, foreign } = place;
  const notice = (then: string): void =>
    void notices.push({ file: parsed.file, text: `${rule.source}: ${read.error}; ${then}` });
  if (rule.effect === "allow") {
    notice("it allows nothing");
    return null;
  }
  if (!foreign)
    throw parsed.errorAt(path, `the ${rule.effect} rule "${rule.text}" is not valid: ${read.error}`);
  const tool = read.failClosed?.tool ?? parseToolOnly(rule);
  if (tool === null) {
    notice("it is left out, as lathe has no such tool");
    return null;
  }
  notice(`it is taken as "${rule.effect} ${tool}"`);
  return { ...rule, text: tool };
}

/** The tool of a rule whose pattern is broken, if lathe has it. */
function parseToolOnly(rule: RuleText): string | null {
  const name = /^[A-Za-z][\w-]*/.exec(rule.text.trim())?.[0] ?? "";
  return parseRule(name, rule).ok ? name : null;
}

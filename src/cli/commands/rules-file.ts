import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Rule, RuleEffect, RuleScope } from "../../protocol/permission.ts";
import { parseRule } from "../../protocol/rule-syntax.ts";
import { AppError } from "../../shared/error.ts";

const EFFECTS: readonly string[] = ["allow", "ask", "deny"];
const SCOPES: readonly string[] = ["builtin", "managed", "user", "project", "session", "flag"];

/**
 * A file of `--rules`: a JSON list (comments allowed) whose items are texts, `"deny bash(curl *)"`, or objects
 * as `lathe permissions list --json` prints them. Each rule's source is its file and line, unless an object
 * names another. AppError `usage` with the place of what is wrong.
 */
export function rulesOfText(file: string, text: string): Rule[] {
  const body = text.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  const placeOf = (offset: number): string => `${file}:${body.slice(0, offset).split("\n").length}`;
  const [first] = errors;
  if (first) throw new AppError("usage", `--rules ${placeOf(first.offset)}: this is not JSON`);
  if (root?.type !== "array") throw new AppError("usage", `--rules ${file} holds no list of rules`);
  return (root.children ?? []).map((node) => ruleOf(node, placeOf(node.offset)));
}

function ruleOf(node: Node, source: string): Rule {
  const value: unknown = getNodeValue(node);
  if (typeof value === "string") return ruleOfText(value, source);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(source, "a rule is a text or an object");
  const { effect, tool, match, scope, source: named } = value as Record<string, unknown>;
  if (typeof tool !== "string") throw wrong(source, 'a rule needs a "tool"');
  if (match !== undefined && typeof match !== "string") throw wrong(source, '"match" must be a text');
  if (scope !== undefined && !SCOPES.includes(String(scope)))
    throw wrong(source, `"scope" must be one of ${SCOPES.join(", ")}`);
  return parsed(match === undefined ? tool : `${tool}(${match})`, {
    effect: effectOf(effect, source),
    scope: (scope ?? "user") as RuleScope,
    source: typeof named === "string" ? named : source,
  });
}

function ruleOfText(text: string, source: string): Rule {
  const [, effect, rest = ""] = /^\s*(\w+)\s+(.*)$/s.exec(text) ?? [];
  return parsed(rest, { effect: effectOf(effect, source), scope: "user", source });
}

function effectOf(effect: unknown, source: string): RuleEffect {
  if (EFFECTS.includes(String(effect))) return effect as RuleEffect;
  throw wrong(source, 'a rule begins with allow, ask or deny, for example "deny bash(curl *)"');
}

function parsed(text: string, about: { effect: RuleEffect; scope: RuleScope; source: string }): Rule {
  const rule = parseRule(text, about);
  if (rule.ok) return rule.value;
  throw wrong(about.source, rule.error);
}

const wrong = (source: string, why: string): AppError => new AppError("usage", `--rules ${source}: ${why}`);

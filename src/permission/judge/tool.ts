import type { JsonObject } from "../../protocol/ids.ts";
import type { PermissionDecision, Rule } from "../../protocol/permission.ts";
import { tokenMatches } from "../rules/tokens.ts";
import {
  allowed,
  asked,
  deniedByMode,
  deniedByRule,
  type JudgeContext,
  ruleText,
  suggestion,
} from "./context.ts";

/** Decides about a call that names nothing it would touch: by its tool alone. */
export function judgeTool(context: JudgeContext): PermissionDecision {
  const { request } = context;
  const what = `the tool ${request.tool}`;
  const speaks = (rule: Rule): boolean =>
    (rule.tool === request.tool || rule.tool === "*") && namesInput(rule.match, request.input);
  const denyRule = context.deny.find(speaks);
  if (denyRule) return deniedByRule(denyRule, what);
  const harmless = request.effect === "none" || request.effect === "read";
  if (request.mode === "read-only" && !harmless) return deniedByMode(what);
  const askRule = context.ask.find(speaks);
  if (askRule)
    return asked("ask_rule", `the rule ${ruleText(askRule)} asks for it`, { rule: askRule, parts: [what] });
  if (harmless) return allowed("effect", `${what} has no effect outside the session`, "read-only");
  const allow = context.allow.find(({ rule }) => speaks(rule));
  if (allow)
    return allowed(allow.layer, `allowed by the rule ${ruleText(allow.rule)}`, "workspace-write", allow.rule);
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets it pass", "workspace-write");
  const rule = { ...suggestion(request.tool, ""), match: undefined };
  return asked("effect", `no rule decides about ${what}`, { parts: [what], suggestions: [rule] });
}

/** A rule about such a tool names one of its arguments, or `argument:value`: `agent(explorer)`. */
function namesInput(match: string | undefined, input: JsonObject): boolean {
  if (match === undefined) return true;
  return Object.entries(input).some(
    ([name, value]) =>
      typeof value === "string" && (tokenMatches(match, value) || tokenMatches(match, `${name}:${value}`)),
  );
}

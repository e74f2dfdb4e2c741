import type { PermissionDecision } from "../../protocol/permission.ts";
import { canonicalUrl } from "../fetch/canonical-url.ts";
import { allowsDomain, deniesDomain } from "../rules/match-domain.ts";
import {
  allowed,
  asked,
  denied,
  deniedByMode,
  deniedByRule,
  type JudgeContext,
  ruleText,
  speaksOf,
  suggestion,
} from "./context.ts";

/** Decides about one URL that a tool would fetch, on its canonical form. */
export function judgeUrl(url: string, context: JudgeContext): PermissionDecision {
  const { request } = context;
  const parsed = canonicalUrl(url);
  if (!parsed.ok) {
    return denied("invalid", `The URL cannot be fetched: ${parsed.reason}.`, {
      wayOut: "Give a plain http or https URL without a user name.",
    });
  }
  const { host } = parsed;
  const what = `fetching from ${host}`;
  const covers = (rules: JudgeContext["deny"]) =>
    rules.find(
      (rule) =>
        speaksOf(rule, request, "fetch") && (rule.match === undefined || deniesDomain(rule.match, host)),
    );
  const denyRule = covers(context.deny);
  if (denyRule) return deniedByRule(denyRule, what);
  if (request.mode === "read-only") return deniedByMode(what);
  const askRule = covers(context.ask);
  if (askRule) {
    return asked("ask_rule", `the rule ${ruleText(askRule)} asks for it`, { rule: askRule, parts: [what] });
  }
  const allow = context.allow.find(({ rule }) => {
    if (!speaksOf(rule, request, "fetch")) return false;
    return rule.match === undefined ? !parsed.private : allowsDomain(rule.match, host, parsed.private);
  });
  if (allow)
    return allowed(allow.layer, `allowed by the rule ${ruleText(allow.rule)}`, "read-only", allow.rule);
  if (parsed.private) {
    return denied("builtin", `${host} is an address of this machine or its private network.`, {
      wayOut: `The user can open it by a rule that names it: fetch(domain:${host}).`,
    });
  }
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets public hosts pass", "read-only");
  return asked("effect", `${host} is a host that no rule names`, {
    profile: "read-only",
    parts: [what],
    suggestions: [suggestion("fetch", `domain:${host}`)],
  });
}

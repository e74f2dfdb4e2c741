import type { PermissionDecision, Rule, SandboxProfileName } from "../../protocol/permission.ts";
import { isWithin } from "../paths/lexical.ts";
import type { DecideRequest } from "../request.ts";

export type AllowDecision = Extract<PermissionDecision, { type: "allow" }>;
export type DenyDecision = Extract<PermissionDecision, { type: "deny" }>;
export type AskDecision = Extract<PermissionDecision, { type: "ask" }>;

/** A rule that may allow, and whether a person granted it while working. */
export type AllowRule = { rule: Rule; layer: "allow_rule" | "grant" };

/** The request with its rules sorted by effect; project rules of an untrusted folder only tighten. */
export type JudgeContext = {
  request: DecideRequest;
  deny: Rule[];
  ask: Rule[];
  allow: AllowRule[];
};

export function judgeContext(request: DecideRequest): JudgeContext {
  const { rules, grants, trusted } = request;
  const usable = rules.filter((rule) => rule.effect !== "allow" || rule.scope !== "project" || trusted);
  const granted = grants.filter((grant) => grant.rule.effect === "allow");
  return {
    request,
    deny: usable.filter((rule) => rule.effect === "deny"),
    ask: usable.filter((rule) => rule.effect === "ask"),
    allow: [
      ...usable
        .filter((rule) => rule.effect === "allow")
        .map((rule) => ({ rule, layer: "allow_rule" as const })),
      ...granted.map((grant) => ({ rule: grant.rule, layer: "grant" as const })),
    ],
  };
}

/** True when a rule speaks about the tool, by its name or by a family of actions. */
export function speaksOf(rule: Rule, request: DecideRequest, family: string): boolean {
  return rule.tool === "*" || rule.tool === request.tool || rule.tool === family;
}

/** True when the path lies in the roots, the private temp directory or a directory given for reading. */
export function isReadable(path: string, request: DecideRequest): boolean {
  return isOwn(path, request) || (request.readableRoots ?? []).some((root) => isWithin(root, path));
}

/** True when the path lies in the roots or the private temp directory. */
export function isOwn(path: string, { place }: DecideRequest): boolean {
  return (
    place.roots.some((root) => isWithin(root, path)) || (place.tmp !== undefined && isWithin(place.tmp, path))
  );
}

/** `deny bash(git push)`, with where it stands. */
export function ruleText(rule: Rule): string {
  return `${rule.effect} ${rule.tool}${rule.match === undefined ? "" : `(${rule.match})`} from ${rule.source}`;
}

export function denied(
  layer: DenyDecision["layer"],
  reason: string,
  options: { rule?: Rule; wayOut?: string } = {},
): DenyDecision {
  return { type: "deny", layer, reason, ...options };
}

const RULE_WAY_OUT =
  "Do not try to reach the same by another way; go on without it, or say what you would need it for so that the user can change the rule.";

export function deniedByRule(rule: Rule, what: string): DenyDecision {
  return denied("deny_rule", `${what} is denied by the rule ${ruleText(rule)}.`, {
    rule,
    wayOut: RULE_WAY_OUT,
  });
}

export function deniedByMode(what: string): DenyDecision {
  return denied("mode", `read-only mode allows nothing that has a side effect, and ${what} has one.`, {
    wayOut: "Go on with what can be read; say what you would change, so that the user can switch the mode.",
  });
}

export function allowed(
  layer: AllowDecision["layer"],
  reason: string,
  profile: SandboxProfileName,
  rule?: Rule,
): AllowDecision {
  return rule ? { type: "allow", layer, rule, profile, reason } : { type: "allow", layer, profile, reason };
}

export function asked(
  layer: AskDecision["layer"],
  reason: string,
  rest: Partial<Omit<AskDecision, "type" | "layer" | "reason">> = {},
): AskDecision {
  return {
    type: "ask",
    layer,
    profile: "workspace-write",
    reason,
    parts: [],
    suggestions: [],
    onceOnly: false,
    ...rest,
  };
}

/** A rule that "always allow" would write. */
export function suggestion(tool: string, match: string): Rule {
  return { effect: "allow", tool, match, scope: "session", source: "approval" };
}

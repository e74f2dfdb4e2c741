import type { PermissionDecision, ResolvedAction, Rule } from "../../protocol/permission.ts";
import { parentOf } from "../paths/lexical.ts";
import { suggestCommands } from "../rules/suggest.ts";
import { destructivePattern } from "../shell/destructive.ts";
import { writesGitConfig } from "../shell/git-config-writes.ts";
import { splitShell } from "../shell/split.ts";
import { judgeParts, type Parts } from "./command-parts.ts";
import { findCommandRule } from "./command-rules.ts";
import { commandTouches, type Touch } from "./command-touches.ts";
import {
  allowed,
  asked,
  denied,
  deniedByMode,
  deniedByRule,
  isOwn,
  type JudgeContext,
  ruleText,
  speaksOf,
  suggestion,
} from "./context.ts";
import { askProtected, deniedAsSecret, escapeGlob, findPathRule, findProtected, findSecret } from "./path.ts";

type CommandAction = Extract<ResolvedAction, { type: "run_command" }>;

/**
 * Decides about shell text, on every simple command, redirection and assignment that it holds. What cannot
 * be read is asked for at least, and is never let through while a rule might deny it.
 */
export function judgeCommand(action: CommandAction, context: JudgeContext): PermissionDecision {
  const { request } = context;
  const script = splitShell(action.command, { cwd: action.cwd, home: request.place.home });
  const touches = commandTouches(script, context);

  const deny = findCommandRule(context.deny, script, context);
  if (deny?.covers === "yes") return deniedByRule(deny.rule, `"${deny.what}"`);
  const refused = touches.map((touch) => refuseTouch(touch, context)).find((decision) => decision !== null);
  if (refused) return refused;
  const pattern = destructivePattern(script, request.place.home);
  if (pattern) {
    return denied("builtin", `The command matches "${pattern}", which lathe never runs for a model.`, {
      wayOut: "Find a narrower way, or ask the user to run it in a terminal of their own.",
    });
  }

  const parts = judgeParts(script, touches, context);
  if (request.mode === "read-only" && !(parts.readonly && script.problems.length === 0)) {
    return deniedByMode(`"${action.command}"`);
  }
  const guarded = askForTouch(touches, context);
  if (guarded) return guarded;
  const ask = findCommandRule(context.ask, script, context) ?? askForPath(touches, context);
  if (ask) {
    return asked("ask_rule", `the rule ${ruleText(ask.rule)} asks for it`, {
      rule: ask.rule,
      parts: [ask.what],
    });
  }
  if (script.problems.length > 0) {
    return asked("effect", `the command is not plain: ${script.problems.join("; ")}`, {
      parts: [action.command],
    });
  }
  if (deny) {
    return asked("effect", `it cannot be told whether the rule ${ruleText(deny.rule)} denies it`, {
      parts: [deny.what],
    });
  }
  const gitConfigWrite = script.commands.some(writesGitConfig) || undefined;
  const decision = decideParts(action, parts, touches, context);
  return gitConfigWrite && decision.type !== "deny" ? withGitConfig(decision) : decision;
}

function withGitConfig(decision: Exclude<PermissionDecision, { type: "deny" }>): PermissionDecision {
  return { ...decision, reason: `${decision.reason}; it writes git's configuration`, gitConfigWrite: true };
}

function decideParts(
  action: CommandAction,
  parts: Parts,
  touches: readonly Touch[],
  context: JudgeContext,
): PermissionDecision {
  const { request } = context;
  if (action.unsandboxed && request.mode !== "bypass") {
    return asked("effect", "it asks to leave the sandbox", { parts: [action.command], onceOnly: true });
  }
  if (parts.undecided.length + parts.farReads.length === 0) {
    if (parts.readonly) return allowed("effect", "every part is known to change nothing", "read-only");
    const { rule, layer } = parts.allowedBy ?? { rule: undefined, layer: "allow_rule" as const };
    const by = rule ? `allowed by the rule ${ruleText(rule)}` : "allowed by rules";
    return allowed(layer, by, "workspace-write", rule);
  }
  if (request.mode === "bypass") return allowed("mode", "bypass mode lets it pass", "workspace-write");
  const outside = [
    ...new Set(
      touches
        .filter((one) => one.how === "write" && !one.private && !isOwn(one.real, request))
        .map((one) => one.real),
    ),
  ];
  if (request.mode === "auto" && request.sandboxed) {
    const known = parts.readonly ? "read-only" : "workspace-write";
    if (outside.length === 0) return allowed("mode", "auto mode lets what stays in the sandbox pass", known);
    return asked("mode", `it writes outside the project: ${outside.join(", ")}`, {
      parts: outside.map((path) => `writing ${path}`),
      writesOutside: outside,
      onceOnly: true,
    });
  }
  return asked("effect", parts.reason, {
    parts: [...parts.undecided, ...parts.farReads.map((far) => far.command)].map((part) => part.source),
    suggestions: suggestParts(parts),
    ...(outside.length > 0 ? { writesOutside: outside } : {}),
  });
}

/** A rule for each undecided command and each folder that is read, or none: one answer must do for all. */
function suggestParts(parts: Parts): Rule[] {
  const folders = [...new Set(parts.farReads.map((far) => parentOf(far.path)))];
  const commands = suggestCommands(parts.undecided);
  if (folders.includes("/") || (parts.undecided.length > 0 && commands.length === 0)) return [];
  return [...commands, ...folders.map((folder) => suggestion("read", `/${escapeGlob(folder)}/**`))];
}

/** Denials of a file that the command would read or write. */
function refuseTouch(touch: Touch, context: JudgeContext): PermissionDecision | null {
  const family = touch.how === "write" ? "edit" : "read";
  const paths = [touch.real, touch.path];
  const rule = findPathRule(context.deny, family, paths, context);
  // A rule without a pattern denies the file tools; commands have rules of their own.
  if (rule?.match !== undefined && !speaksOf(rule, context.request, "bash")) {
    return deniedByRule(rule, `${touch.how === "write" ? "writing" : "reading"} ${touch.path}`);
  }
  const secret = findSecret(paths, context);
  return secret === null ? null : deniedAsSecret(touch.path, secret);
}

function askForTouch(touches: readonly Touch[], context: JudgeContext): PermissionDecision | null {
  for (const touch of touches) {
    if (touch.how !== "write") continue;
    const name = findProtected([touch.real, touch.path], context);
    if (name) return askProtected(`writing ${touch.path}`, name, [touch.source]);
  }
  return null;
}

function askForPath(touches: readonly Touch[], context: JudgeContext) {
  for (const touch of touches) {
    const family = touch.how === "write" ? "edit" : "read";
    const rule = findPathRule(context.ask, family, [touch.real, touch.path], context);
    if (rule?.match !== undefined && !speaksOf(rule, context.request, "bash")) {
      return { rule, covers: "yes" as const, what: touch.source };
    }
  }
  return null;
}

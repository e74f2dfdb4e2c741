import { isWithin } from "../paths/lexical.ts";
import { allows } from "../rules/match-command.ts";
import { commandName, type ShellCommand, type ShellScript } from "../shell/command.ts";
import { isOwnVariable, isPlainWrapper, isReadonly } from "../shell/readonly.ts";
import type { Touch } from "./command-touches.ts";
import { type AllowRule, isReadable, type JudgeContext, speaksOf } from "./context.ts";
import { findPathRule } from "./path.ts";

export type Parts = {
  /** Commands that neither a rule nor the table of read-only commands decides. */
  undecided: ShellCommand[];
  /** Files outside the project that read-only commands would show: each of those commands is undecided, too. */
  farReads: { path: string; command: ShellCommand }[];
  /** True when every part is known to change nothing. */
  readonly: boolean;
  /** A rule that allowed a part. */
  allowedBy?: AllowRule;
  /** Why the rest is asked for. */
  reason: string;
};

const SYSTEM_TREES = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/dev", "/nix/store"];

/** Sorts the commands of a script into those that are decided and those that are not. */
export function judgeParts(script: ShellScript, touches: readonly Touch[], context: JudgeContext): Parts {
  const parts: Parts = { undecided: [], farReads: [], readonly: true, reason: "no rule decides about it" };
  const loops = script.variables.every(isOwnVariable);
  for (const command of script.commands) {
    if (command.guess) continue;
    const harmless = isReadonly(command) && loops;
    const writes = fileWrites(command, touches, context);
    const far = harmless ? readsFar(command, touches, context) : null;
    if (!harmless || writes !== "none") parts.readonly = false;
    if (far !== null) {
      parts.readonly = false;
      parts.farReads.push({ path: far, command });
      parts.reason = `it reads ${far}, outside the project`;
      if (writes !== "undecided") continue;
    }
    if (writes === "undecided") {
      parts.undecided.push(command);
      parts.reason = "it writes files";
      continue;
    }
    if (harmless) continue;
    const allow = allowingRule(command, context);
    if (allow) parts.allowedBy ??= allow;
    else if (!isPlainWrapper(command)) parts.undecided.push(command);
    if (!allow && command.dynamic) parts.reason = command.dynamic;
  }
  return parts;
}

/** An allow rule covers one simple command: no assignment, nothing that it gets to know only later. */
function allowingRule(command: ShellCommand, context: JudgeContext): AllowRule | undefined {
  return context.allow.find(({ rule }) => {
    if (!speaksOf(rule, context.request, "bash")) return false;
    if (rule.match === undefined || rule.match === "*") return true;
    if (command.assignments.length > 0 || command.dynamic || command.words.length === 0) return false;
    return allows(rule.match, command);
  });
}

/** Redirections to files are edits: a rule about edits may allow them, a rule about commands does not. */
function fileWrites(
  command: ShellCommand,
  touches: readonly Touch[],
  context: JudgeContext,
): "none" | "allowed" | "undecided" {
  const targets = command.redirects.filter((one) => one.kind === "write" && one.target);
  if (targets.length === 0) return "none";
  const all = context.allow.some(
    ({ rule }) => rule.match === undefined && speaksOf(rule, context.request, "bash"),
  );
  let found: "none" | "allowed" = "none";
  for (const target of targets) {
    if (!target.target?.known || target.target.glob) return all ? "allowed" : "undecided";
    const own = touches.filter((touch) => touch.source === target.source && touch.how === "write");
    if (own.every((touch) => touch.private)) continue;
    const edits = context.allow.map(({ rule }) => rule);
    const covered = own.every((touch) => touch.private || findPathRule(edits, "edit", [touch.real], context));
    if (!covered && !all) return "undecided";
    found = "allowed";
  }
  return found;
}

/** A file outside the project that a read-only command would show, or null. */
function readsFar(command: ShellCommand, touches: readonly Touch[], context: JudgeContext): string | null {
  if (context.request.mode === "bypass" || commandName(command) === "echo") return null;
  const reads = touches.filter((touch) => touch.how === "read" && ownsTouch(command, touch));
  const rules = context.allow.map(({ rule }) => rule);
  const far = reads.find(
    (touch) =>
      !touch.private &&
      !isReadable(touch.real, context.request) &&
      !SYSTEM_TREES.some((tree) => isWithin(tree, touch.real)) &&
      !findPathRule(rules, "read", [touch.real], context),
  );
  return far ? far.real : null;
}

function ownsTouch(command: ShellCommand, touch: Touch): boolean {
  return touch.source === command.source || command.redirects.some((one) => one.source === touch.source);
}

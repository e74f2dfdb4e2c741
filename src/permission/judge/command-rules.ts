import type { Rule } from "../../protocol/permission.ts";
import { type Covers, denies } from "../rules/match-command.ts";
import type { ShellScript } from "../shell/command.ts";
import { type JudgeContext, speaksOf } from "./context.ts";

/**
 * The deny or ask rule that covers a command of the script, wherever it is started from. `maybe` when only
 * running it would tell: a name or text that is not known yet, or text that cannot be parsed.
 */
export function findCommandRule(
  rules: readonly Rule[],
  script: ShellScript,
  context: JudgeContext,
): { rule: Rule; covers: Exclude<Covers, "no">; what: string } | null {
  const own = rules.filter((rule) => speaksOf(rule, context.request, "bash"));
  let unsure: { rule: Rule; covers: "maybe"; what: string } | null = null;
  for (const rule of own) {
    if (rule.match === undefined) {
      return { rule, covers: "yes", what: script.commands.map((one) => one.source).join("; ") };
    }
    for (const command of script.commands) {
      const covers = command.dynamic
        ? atLeastMaybe(denies(rule.match, command))
        : denies(rule.match, command);
      if (covers === "yes") return { rule, covers, what: command.source };
      if (covers === "maybe") unsure ??= { rule, covers, what: command.source };
    }
  }
  return unsure;
}

function atLeastMaybe(covers: Covers): Covers {
  return covers === "no" ? "maybe" : covers;
}

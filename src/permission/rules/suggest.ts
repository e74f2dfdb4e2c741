import type { Rule } from "../../protocol/permission.ts";
import { baseName, type ShellCommand } from "../shell/command.ts";

/** Tools whose first argument says what they do: a rule keeps it and opens the rest. */
const SUBCOMMANDS = new Set(
  (
    "git npm pnpm yarn bun cargo go docker podman kubectl helm pip pip3 uv poetry pipenv bundle gem composer dotnet " +
    "mvn gradle terraform ansible brew apt make just task deno npx nx turbo gh glab systemctl swift flutter dart mix " +
    "rails rake django-admin conda mamba"
  ).split(" "),
);
/** Commands that no lasting rule may open: what they run is in their arguments or input. */
const NEVER = new Set(
  (
    "sh bash zsh dash ksh fish eval exec source . sudo doas su env xargs parallel ssh python python2 python3 node deno " +
    "ruby perl php lua osascript awk gawk nohup command builtin trap alias export unset npx bunx uvx rm rmdir dd " +
    "chmod chown curl wget nc ncat socat find fd sed tee"
  ).split(" "),
);
const SCRIPT_RUNNERS = new Set(["run", "exec", "x", "dlx", "run-script"]);

/**
 * One rule per undecided command, for "always allow"; none at all when one of them may not be made permanent,
 * because the rest alone would not answer the question.
 */
export function suggestCommands(commands: readonly ShellCommand[]): Rule[] {
  const rules: Rule[] = [];
  for (const command of commands) {
    const match = suggestMatch(command);
    if (match === null) return [];
    if (!rules.some((rule) => rule.match === match)) {
      rules.push({ effect: "allow", tool: "bash", match, scope: "session", source: "approval" });
    }
  }
  return rules;
}

function suggestMatch(command: ShellCommand): string | null {
  const { words, assignments, redirects } = command;
  const [first, ...args] = words;
  if (!first || assignments.length > 0 || command.dynamic) return null;
  if (redirects.some((one) => one.kind === "write" && one.target)) return null;
  const name = first.text;
  if (NEVER.has(baseName(name))) return isExactScript(command) ? exact(command) : null;
  if (!SUBCOMMANDS.has(name) || args.length === 0) return exact(command);
  const [subcommand, target] = args;
  if (!subcommand?.known || subcommand.text.startsWith("-") || subcommand.glob) return exact(command);
  if (
    name === "git" &&
    /^(config|filter-branch|submodule|bisect|rebase|difftool|mergetool)$/.test(subcommand.text)
  ) {
    return exact(command);
  }
  if (SCRIPT_RUNNERS.has(subcommand.text)) {
    if (!target?.known || target.text.startsWith("-")) return null;
    return args.length === 2 ? exact(command) : `${name} ${subcommand.text} ${quoted(target.text)} *`;
  }
  return args.length === 1 ? exact(command) : `${name} ${quoted(subcommand.text)} *`;
}

/** `python3 tests/run.py`: an interpreter with a file of the project and nothing else that could be code. */
function isExactScript(command: ShellCommand): boolean {
  const name = baseName(command.words[0]?.text ?? "");
  const script = command.words[1];
  if (!/^(python[23]?|node|ruby|perl|php|bash|sh)$/.test(name) || command.piped) return false;
  return script?.known === true && !script.text.startsWith("-");
}

function exact(command: ShellCommand): string | null {
  if (!command.words.every((word) => word.known && !word.glob && !word.text.includes("*"))) return null;
  if (command.words.some((word) => /[\n"']/.test(word.text))) return null;
  return command.words.map((word) => quoted(word.text)).join(" ");
}

function quoted(text: string): string {
  return text === "" || /\s/.test(text) ? `"${text}"` : text;
}

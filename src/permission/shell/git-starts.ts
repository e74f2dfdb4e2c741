import { knownWord, type ShellWord } from "./command.ts";
import { readGit } from "./git-words.ts";
import type { Started, Starts } from "./starts.ts";

/** Configuration keys whose value git runs. */
const RUN_KEYS =
  /^(core\.(fsmonitor|pager|editor|sshcommand|gitproxy|askpass)|pager\.|sequence\.editor|diff\.external|.*\.(textconv|command|cmd|process|clean|smudge|helper|program|external|driver|browser))/i;

/** git starts aliases, pagers and helpers given by `-c`, and the commands of `bisect run` and the like. */
export function startedByGit(words: readonly ShellWord[]): Starts {
  const git = readGit(words);
  const commands: Started[] = [];
  let dynamic: string | undefined;
  for (const option of git.options) {
    if (option.name !== "-c" || !option.value) continue;
    if (!option.value.known) {
      dynamic = "git gets configuration that is only known later";
      continue;
    }
    const [key = "", ...rest] = option.value.text.split("=");
    const value = rest.join("=");
    if (key.toLowerCase() === `alias.${git.subcommand?.toLowerCase()}`)
      commands.push(aliasOf(value, git.args));
    else if (RUN_KEYS.test(key) && value !== "")
      commands.push({ type: "text", text: value.replace(/^!/, "") });
  }
  if (git.options.some((option) => option.name === "--config-env")) {
    dynamic = "git gets configuration that is only known later";
  }
  commands.push(...startedBySubcommand(git.subcommand, git.args));
  return { commands, transparent: false, dynamic };
}

function aliasOf(value: string, args: ShellWord[]): Started {
  if (value.startsWith("!")) return { type: "text", text: value.slice(1) };
  const own = value.split(/\s+/).filter((part) => part !== "");
  return { type: "words", words: [knownWord("git"), ...own.map(knownWord), ...args], assignments: [] };
}

function startedBySubcommand(subcommand: string | null, args: ShellWord[]): Started[] {
  const at = (name: string): number => args.findIndex((word) => word.text === name);
  if (subcommand === "submodule" && at("foreach") >= 0) {
    const rest = args
      .slice(at("foreach") + 1)
      .filter((word) => word.text !== "--recursive" && word.text !== "-q");
    return [{ type: "text", text: rest.map((word) => word.text).join(" ") }];
  }
  if (subcommand === "bisect" && args[0]?.text === "run") {
    return [{ type: "words", words: args.slice(1), assignments: [] }];
  }
  const option =
    subcommand === "rebase" ? /^(-x|--exec)$/ : subcommand === "difftool" ? /^(-x|--extcmd)$/ : null;
  if (option === null) return [];
  return args.flatMap((word, index): Started[] => {
    const joined = /^(?:--exec|--extcmd)=(.*)$/s.exec(word.text)?.[1] ?? /^-x(.+)$/s.exec(word.text)?.[1];
    const text = joined ?? (option.test(word.text) ? args[index + 1]?.text : undefined);
    return text === undefined ? [] : [{ type: "text", text }];
  });
}

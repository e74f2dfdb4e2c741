import { commandName, type ShellCommand } from "./command.ts";
import { readGit } from "./git-words.ts";
import { isConfigRead } from "./readonly-git.ts";

/** True for a git command that writes the repository's configuration, where everything else keeps out. */
export function writesGitConfig(command: ShellCommand): boolean {
  if (commandName(command) !== "git") return false;
  const { subcommand, args } = readGit(command.words);
  const texts = args.map((word) => word.text);
  const has = (...options: string[]): boolean =>
    texts.some((text) => options.includes(text.split("=")[0] ?? ""));
  const operands = texts.filter((text) => !text.startsWith("-"));
  switch (subcommand) {
    case "config":
      return !has("--global", "--system", "--file", "-f", "--blob") && !isConfigRead(texts);
    case "remote":
      return operands.length > 0 && !/^(show|get-url|update|prune)$/.test(operands[0] ?? "");
    case "push":
    case "pull":
    case "fetch":
      return has("--set-upstream") || (subcommand === "push" && texts.some((text) => /^-[a-z]*u/.test(text)));
    case "submodule":
      return /^(add|init|deinit|update|sync|set-url|set-branch|absorbgitdirs)$/.test(operands[0] ?? "");
    case "branch":
      return (
        has(
          "--track",
          "-t",
          "-u",
          "--set-upstream-to",
          "--unset-upstream",
          "--edit-description",
          "--delete",
          "--move",
        ) || texts.some((text) => /^-[a-zA-Z]*[dDmMcC]/.test(text))
      );
    case "checkout":
    case "switch":
      return isTracking(texts, operands);
    case "sparse-checkout":
    case "maintenance":
    case "lfs":
      return !/^(list|ls-files|status|env|version)$/.test(operands[0] ?? "list");
    case "worktree":
      return operands[0] === "add" && has("--track", "-b", "-B");
    case "init":
      return true;
    default:
      return false;
  }
}

/** A new branch from a start point may track it; a bare name may be the name of a remote branch. */
function isTracking(texts: readonly string[], operands: readonly string[]): boolean {
  if (texts.some((text) => /^(-t|--track)/.test(text))) return true;
  if (texts.includes("--no-track") || texts.includes("--") || texts.includes("--detach")) return false;
  const creates = texts.some((text) => /^(-b|-B|-c|-C|--create)$/.test(text));
  return creates ? operands.length > 1 : operands.length === 1 && operands[0] !== ".";
}

import { lookUp } from "../look-up.ts";
import {
  argumentsOf,
  baseName,
  mayBeOption,
  type ShellAssignment,
  type ShellCommand,
  type ShellWord,
} from "./command.ts";
import { isReadonlyGit } from "./readonly-git.ts";
import { isHarmlessAwk, isHarmlessSed } from "./readonly-scripts.ts";
import { ANY_ARGUMENTS, DANGEROUS_OPTIONS, VERSION_ONLY } from "./readonly-tables.ts";

const SYSTEM = /^(\/usr)?(\/local)?\/s?bin\//;
const HARMLESS_VARIABLES = /^(LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|TERM)$/;

/**
 * True when the command is known to change nothing and to start nothing but what is in the list beside it.
 * Redirections to files are judged apart.
 */
export function isReadonly(command: ShellCommand): boolean {
  if (command.dynamic) return false;
  const { words, assignments } = command;
  const [first] = words;
  if (!first) return assignments.every(isPlainAssignment);
  if (!assignments.every((one) => HARMLESS_VARIABLES.test(one.name))) return false;
  if (first.text.includes("/") && !SYSTEM.test(first.text)) return false;
  return command.callsFunction || isReadonlyCall(baseName(first.text), command);
}

/** True for a wrapper of the system, called plainly: judging what it starts is enough. */
export function isPlainWrapper(command: ShellCommand): boolean {
  const name = command.words[0]?.text ?? "";
  const ours = !name.includes("/") || SYSTEM.test(name);
  return command.transparent && ours && command.assignments.length === 0 && !command.dynamic;
}

/** `x=1` on its own sets a variable of the shell only, unless programs read it from their environment. */
function isPlainAssignment(one: ShellAssignment): boolean {
  return isOwnVariable(one.name) && one.value !== null;
}

/** True for a name that no program reads: loops and `read` may set it. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !/proxy$|^npm_|^git_|^_/.test(name);
}

function isReadonlyCall(name: string, command: ShellCommand): boolean {
  const args = argumentsOf(command);
  if (ANY_ARGUMENTS.has(name)) return true;
  const dangerous = lookUp(DANGEROUS_OPTIONS, name);
  if (dangerous !== undefined) return args.every((word) => !isDangerous(word, dangerous));
  if (VERSION_ONLY.has(name) && args.length === 1 && args[0]?.known) {
    return /^(--version|-V)$/.test(args[0].text) || (name === "go" && args[0].text === "version");
  }
  return isReadonlySpecial(name, args, command);
}

function isReadonlySpecial(name: string, args: ShellWord[], command: ShellCommand): boolean {
  switch (name) {
    case "git":
      return isReadonlyGit(command.words);
    case "test":
    case "[":
      return args.every((word) => word.text !== "-v" && word.text !== "-R");
    case "find":
      return args.every((word) => !isFindEffect(word));
    case "sed":
      return isHarmlessSed(args);
    case "awk":
    case "gawk":
    case "mawk":
    case "nawk":
      return isHarmlessAwk(args);
    case "uniq":
    case "xxd":
      return args.every((word) => word.known && !word.glob && word.text !== "-r") && operandCount(args) < 2;
    case "hostname":
    case "umask":
    case "env":
    case "exec":
    case "locale":
      return args.length === 0 || command.transparent;
    case "xargs":
      return command.transparent || args.length === 0;
    case "tee":
      return args.every((word) => word.known && (word.text === "/dev/null" || word.text === "-a"));
    case "read":
      return args.every((word) => word.known && (/^-r?s?$/.test(word.text) || isOwnVariable(word.text)));
    case "set":
      return args.every(
        (word) => word.known && /^([-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace)$/.test(word.text),
      );
    case "command":
      return command.transparent || args[0]?.text === "-v" || args[0]?.text === "-V";
    default:
      return command.transparent;
  }
}

function operandCount(args: readonly ShellWord[]): number {
  return args.filter((word) => !word.text.startsWith("-") || word.text === "-").length;
}

function isFindEffect(word: ShellWord): boolean {
  if (!word.known) return mayBeOption(word);
  return /^-(delete|fprint|fprint0|fprintf|fls)$/.test(word.text);
}

/** True when the word is, abbreviates, or may become one of the options. */
function isDangerous(word: ShellWord, options: readonly string[]): boolean {
  if (!mayBeOption(word)) return false;
  if (!word.prefix.startsWith("-") || !word.known) return true;
  const name = word.text.split("=")[0] ?? "";
  return options.some((option) => {
    if (option.startsWith("--")) return name.length > 2 && option.startsWith(name);
    if (option.length > 2) return name === option;
    return /^-[^-]/.test(word.text) && word.text.includes(option.slice(1));
  });
}

import type { ShellWord } from "./command.ts";
import { readGit } from "./git-words.ts";

const PLAIN = new Set(
  (
    "status log diff show shortlog blame annotate rev-parse rev-list ls-files ls-tree describe name-rev merge-base " +
    "for-each-ref show-ref show-branch diff-tree diff-index diff-files whatchanged cherry count-objects " +
    "check-ignore check-attr check-mailmap version help range-diff cat-file grep verify-commit verify-tag"
  ).split(" "),
);
const HARMLESS_OPTIONS = new Set([
  "-C",
  "-P",
  "--no-pager",
  "--no-optional-locks",
  "--no-lazy-fetch",
  "--literal-pathspecs",
  "--version",
  "-v",
]);
const HARMLESS_KEYS =
  /^(color\.[\w.]+=[\w ]*|core\.quotepath=\w+|core\.pager=(cat)?|log\.\w+=[\w-]+|diff\.(renames|context|algorithm)=\w+)$/i;
/** Options, and what they may be cut to, that write or start something. */
const EFFECTS = [
  "--output",
  "--ext-diff",
  "--textconv",
  "--filters",
  "--open-files-in-pager",
  "--exec",
  "--upload-pack",
];

/** True for a git call that only reads; hooks, pagers and file monitors are switched off by the sandbox. */
export function isReadonlyGit(words: readonly ShellWord[]): boolean {
  const git = readGit(words);
  if (!git.sure || !git.options.every(isHarmlessOption)) return false;
  const { subcommand, args } = git;
  if (subcommand === null)
    return git.options.some((option) => option.name === "--version" || option.name === "-v");
  if (args.some(hasEffect)) return false;
  if (subcommand === "grep" && args.some((word) => /^-[a-zA-Z]*O/.test(word.text))) return false;
  if (PLAIN.has(subcommand)) return true;
  return isReadonlyForm(subcommand, args);
}

function isHarmlessOption(option: { name: string; value?: ShellWord }): boolean {
  if (option.name === "-c") return option.value?.known === true && HARMLESS_KEYS.test(option.value.text);
  if (option.name === "-C") return option.value !== undefined;
  return HARMLESS_OPTIONS.has(option.name);
}

function hasEffect(word: ShellWord): boolean {
  if (!word.prefix.startsWith("-")) return !word.known && word.prefix === "" && word.splits;
  const name = word.text.split("=")[0] ?? "";
  if (!word.known && name === word.text) return true;
  return EFFECTS.some((effect) => name.length > 3 && effect.startsWith(name) && name !== "--text");
}

/** Sub-commands that read in some forms and write in others. */
function isReadonlyForm(subcommand: string, args: readonly ShellWord[]): boolean {
  if (!args.every((word) => word.known && !word.glob)) return false;
  const texts = args.map((word) => word.text);
  const [first] = texts;
  const operands = texts.filter((text) => !text.startsWith("-"));
  switch (subcommand) {
    case "branch":
      return onlyLists(
        texts,
        operands,
        /^(-a|-r|-v|-vv|-av|-avv|-rv|--all|--remotes|--verbose|--show-current)$/,
      );
    case "tag":
      return onlyLists(texts, operands, /^(-n\d*|--color|--no-color)$/);
    case "remote":
      return (
        first === undefined ||
        texts.every((text) => text === "-v" || text === "--verbose") ||
        first === "get-url"
      );
    case "stash":
      return first === "list" || first === "show";
    case "worktree":
      return first === "list";
    case "submodule":
      return first === undefined || first === "status" || first === "summary";
    case "reflog":
      return first === undefined || first === "show" || first === "exists" || first.startsWith("-");
    case "notes":
      return first === undefined || first === "list" || first === "show";
    case "bisect":
      return first === "log";
    case "symbolic-ref":
      return operands.length === 1 && texts.every((text) => !/^-(d|m)|^--delete/.test(text));
    case "config":
      return isConfigRead(texts);
    default:
      return false;
  }
}

const LIST_OPTIONS =
  /^(-l|--list|--sort=.*|--format=.*|--contains|--no-contains|--merged|--no-merged|--points-at|--column|--no-column|-i|--ignore-case)$/;

function onlyLists(texts: string[], operands: string[], more: RegExp): boolean {
  const options = texts.filter((text) => text.startsWith("-"));
  if (!options.every((text) => LIST_OPTIONS.test(text) || more.test(text))) return false;
  return (
    operands.length === 0 || options.some((text) => LIST_OPTIONS.test(text) && !/^--(sort|format)/.test(text))
  );
}

/** True for `git config` calls that print. */
export function isConfigRead(all: readonly string[]): boolean {
  const end = all.indexOf("--");
  const texts = end < 0 ? all : all.slice(0, end);
  const [first] = texts;
  if (first === "get" || first === "list") return true;
  const reads = /^(--get|--get-all|--get-regexp|--get-urlmatch|--get-color|--get-colorbool|-l|--list)$/;
  if (texts.some((text) => reads.test(text))) return true;
  const plain = texts.filter(
    (text) =>
      !/^--(local|global|system|worktree|show-origin|show-scope|includes|null|type=.*|bool|int|path)$/.test(
        text,
      ),
  );
  return plain.length === 1 && end < 0 && /^[A-Za-z][\w-]*\..+/.test(plain[0] ?? "");
}

import { baseName, mayBeOption, type ShellCommand, type ShellWord } from "../shell/command.ts";
import { isGitCommand } from "../shell/git-commands.ts";
import { readGit } from "../shell/git-words.ts";
import { tokenize, tokenMatches } from "./tokens.ts";

/** `maybe`: only running the command would tell. */
export type Covers = "yes" | "maybe" | "no";

const SYSTEM_DIRECTORIES = [
  "/usr/bin/",
  "/bin/",
  "/usr/local/bin/",
  "/usr/sbin/",
  "/sbin/",
  "/opt/homebrew/bin/",
];

/**
 * True when an allow rule covers the command: token by token, `*` for one token, at the end for any further
 * ones. A word that is only known later is covered by `*` alone.
 */
export function allows(match: string, command: ShellCommand): boolean {
  const tokens = tokenize(match);
  const { words } = command;
  const open = tokens.at(-1) === "*" || (tokens.at(-1)?.endsWith(":*") ?? false);
  const needed = tokens.at(-1) === "*" ? tokens.length - 1 : tokens.length;
  if (words.length < needed || (words.length > needed && !open)) return false;
  for (let at = 0; at < needed; at++) {
    const token = tokens[at] ?? "";
    const word = words[at] as ShellWord;
    if (token === "*" && at > 0) continue;
    if (!word.known || word.glob) return false;
    const text = at === 0 ? systemName(word.text, token) : word.text;
    if (!tokenMatches(token, text)) return false;
  }
  return tokens.length > 0;
}

function systemName(text: string, token: string): string {
  if (token.includes("/")) return text;
  const base = baseName(text);
  return SYSTEM_DIRECTORIES.some((directory) => text === directory + base) ? base : text;
}

/**
 * Whether a deny or ask rule covers the command: with any further arguments, from any directory, with any
 * options between its words, flags in any order.
 */
export function denies(match: string, command: ShellCommand): Covers {
  const tokens = tokenize(match);
  const [nameToken, ...rest] = tokens;
  const [first] = command.words;
  if (nameToken === undefined || !first) return "no";
  if (nameToken === "*" && rest.length === 0) return "yes";
  if (!first.known) return "maybe";
  const name = nameToken.includes("/") ? first.text : baseName(first.text);
  if (!tokenMatches(nameToken.toLowerCase(), name.toLowerCase())) return "no";
  const wanted = rest.at(-1) === "*" ? rest.slice(0, -1) : rest;
  if (name.toLowerCase() === "git") return deniesGit(wanted, command.words);
  return matchArguments(wanted, command.words.slice(1));
}

function deniesGit(wanted: string[], words: readonly ShellWord[]): Covers {
  const git = readGit(words);
  const [subcommand] = wanted;
  if (subcommand === undefined) return "yes";
  if (!git.sure) return matchArguments(wanted, words.slice(1)) === "yes" ? "yes" : "maybe";
  const own = words.slice(words.length - git.args.length - (git.subcommand === null ? 0 : 1));
  const found = matchArguments(wanted, own);
  // An unknown sub-command may be an alias of the user for any other.
  if (found === "no" && git.subcommand !== null && !isGitCommand(git.subcommand)) return "maybe";
  return found;
}

/** Words in order, options between them skipped, options of the rule found anywhere. */
function matchArguments(tokens: readonly string[], words: readonly ShellWord[]): Covers {
  const flags = tokens.filter((token) => token.startsWith("-") && token !== "-");
  const operands = tokens.filter((token) => !flags.includes(token));
  const results = [...flags.map((flag) => hasFlag(flag, words)), matchOperands(operands, words)];
  if (results.includes("no")) return "no";
  return results.includes("maybe") ? "maybe" : "yes";
}

/** Follows every place at which the next token could stand; an option may or may not take the next word. */
function matchOperands(tokens: readonly string[], words: readonly ShellWord[]): Covers {
  let places = new Set([0]);
  let unsure = false;
  for (const token of tokens) {
    const next = new Set<number>();
    const from =
      token === "*" ? [...words.keys(), words.length].filter((at) => at >= Math.min(...places)) : places;
    for (const at of token === "*" ? from : skipOptions(from, words)) {
      const word = words[at];
      if (token === "*") next.add(at);
      else if (!word) continue;
      else if (!word.known || word.glob) unsure = true;
      else if (tokenMatches(token, word.text)) next.add(at + 1);
    }
    places = next;
    if (places.size === 0) return unsure ? "maybe" : "no";
  }
  return "yes";
}

function skipOptions(places: Iterable<number>, words: readonly ShellWord[]): Set<number> {
  // A set grows while it is walked, so that options behind options are skipped too.
  const reached = new Set(places);
  for (const at of reached) {
    const word = words[at];
    if (!word?.known || !word.text.startsWith("-")) continue;
    reached.add(at + 1);
    reached.add(at + 2);
  }
  return reached;
}

function hasFlag(flag: string, words: readonly ShellWord[]): Covers {
  if (words.some((word) => word.known && tokenMatches(flag, word.text))) return "yes";
  if (words.some((word) => word.known && flag.startsWith("--") && word.text.startsWith(`${flag}=`)))
    return "yes";
  if (/^-[A-Za-z]+$/.test(flag)) {
    const letters = words
      .filter((word) => /^-[A-Za-z]/.test(word.prefix))
      .map((word) => word.prefix.slice(1))
      .join("");
    if ([...flag.slice(1)].every((letter) => letters.includes(letter))) return "yes";
  }
  return words.some((word) => !word.known && mayBeOption(word)) ? "maybe" : "no";
}

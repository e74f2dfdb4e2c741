import { lookUp } from "../look-up.ts";
import {
  argumentsOf,
  commandName,
  type ShellAssignment,
  type ShellCommand,
  type ShellWord,
  unknownWords,
} from "./command.ts";
import { startedByGit } from "./git-starts.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import { startedByShell, textOf } from "./shell-starts.ts";
import type { Started, Starts } from "./starts.ts";
import { GUESSED, PREFIXES, RUNNERS, TEXT_WRAPPERS } from "./wrapper-tables.ts";

const NOTHING: Starts = { commands: [], transparent: false };

/** The commands that a wrapper starts; nothing for any other command. */
export function startedBy(command: ShellCommand): Starts {
  const name = commandName(command);
  const { words } = command;
  switch (name) {
    case "":
      return NOTHING;
    case "git":
      return startedByGit(words);
    case "find":
      return startedByFind(words);
    case "fd":
    case "fdfind":
      return startedByFd(words);
    case "xargs":
    case "parallel":
      return startedByXargs(words, name);
    case "eval":
      return wholeText(argumentsOf(command), true);
    case "trap":
      return startedByTrap(words);
    case "env":
      return startedByEnv(words);
    case "busybox":
    case "toybox":
      return inner(words, 1, true);
    default:
      return startedByTable(name, command);
  }
}

function startedByTable(name: string, command: ShellCommand): Starts {
  const { words } = command;
  const prefix = lookUp(PREFIXES, name);
  if (prefix) return startedByPrefix(words, prefix);
  if (/^(ba|da|z|k|mk|a|fi|)sh$/.test(name)) return startedByShell(command);
  const runner = lookUp(RUNNERS, name);
  if (runner) return startedByRunner(words, runner);
  const option = lookUp(TEXT_WRAPPERS, name);
  if (option !== undefined) return startedByText(words, option);
  if (GUESSED.has(name)) return guessAll(words, 1);
  return NOTHING;
}

/** The words from `at` on are one command. */
export function inner(words: readonly ShellWord[], at: number, transparent: boolean): Starts {
  const rest = words.slice(at);
  if (rest.length === 0) return NOTHING;
  return { commands: [{ type: "words", words: rest, assignments: [] }], transparent };
}

/** Every operand could be the command: for wrappers whose options are not known. */
export function guessAll(words: readonly ShellWord[], from: number): Starts {
  const commands: Started[] = [];
  for (let at = from; at < words.length && commands.length < 12; at++) {
    const word = words[at] as ShellWord;
    if (word.prefix.startsWith("-")) continue;
    commands.push({ type: "words", words: words.slice(at), assignments: [], guess: true });
    if (word.known && /[\s;|&]/.test(word.text))
      commands.push({ type: "text", text: word.text, guess: true });
  }
  return { commands, transparent: false };
}

function startedByPrefix(words: readonly ShellWord[], prefix: (typeof PREFIXES)[string] & object): Starts {
  const read = readOptions(words, prefix);
  if (!read.sure) return guessAll(words, 1);
  if (read.options.some((option) => prefix.asks?.includes(option.name))) return NOTHING;
  const { assignments, at } = takeAssignments(words, read.operands, prefix.assignments === true);
  const text = read.options.find((option) => option.name === prefix.text)?.value;
  if (text) return wholeText([text], false);
  const opaque = read.options.some((option) => prefix.opaque?.includes(option.name));
  const starts = inner(words, at + (prefix.operands ?? 0), prefix.transparent && !opaque);
  for (const one of starts.commands) if (one.type === "words") one.assignments = assignments;
  return starts;
}

const ENV: OptionSpec = {
  flags: "-i - -0 -v --ignore-environment --null --debug --list-signal-handling",
  values: "-u --unset -C --chdir -S --split-string --block-signal --default-signal --ignore-signal",
};

function startedByEnv(words: readonly ShellWord[]): Starts {
  const read = readOptions(words, ENV);
  if (!read.sure) return guessAll(words, 1);
  const split = read.options.find((option) => option.name === "-S" || option.name === "--split-string");
  if (split?.value) return wholeText([split.value, ...words.slice(read.operands)], false);
  const start = words[read.operands]?.text === "-" ? read.operands + 1 : read.operands;
  const { assignments, at } = takeAssignments(words, start, true);
  const starts = inner(words, at, true);
  for (const one of starts.commands) if (one.type === "words") one.assignments = assignments;
  return starts;
}

function takeAssignments(words: readonly ShellWord[], from: number, allowed: boolean) {
  const assignments: ShellAssignment[] = [];
  let at = from;
  for (; allowed && at < words.length; at++) {
    const word = words[at] as ShellWord;
    const match = /^([A-Za-z_]\w*)=/.exec(word.prefix);
    if (!match) break;
    assignments.push({ name: match[1] ?? "", value: null, source: word.source });
  }
  return { assignments, at };
}

/** The words joined are text for a shell. */
function wholeText(words: readonly ShellWord[], transparent: boolean): Starts {
  if (words.length === 0) return NOTHING;
  const text = textOf(words);
  if (text === null) return { ...guessAll(words, 0), dynamic: "it runs text that is only known later" };
  return { commands: [{ type: "text", text }], transparent };
}

function startedByTrap(words: readonly ShellWord[]): Starts {
  const [, first, signal] = words;
  if (!first || !signal || first.text.startsWith("-") || first.text === "") return NOTHING;
  return wholeText([first], true);
}

const XARGS: OptionSpec = {
  flags:
    "-0 -o -p -r -t -x -i -l --null --no-run-if-empty --verbose --interactive --exit --open-tty --show-limits -k -j+ --keep-order --halt --bar --progress",
  values:
    "-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --eof --replace --max-lines --max-args --max-procs --max-chars --process-slot-var -j --jobs -N --colsep",
};

function startedByXargs(words: readonly ShellWord[], name: string): Starts {
  const read = readOptions(words, XARGS);
  if (!read.sure) return { ...guessAll(words, 1), dynamic: `${name} with options that are not known` };
  const rest = words.slice(read.operands);
  if (rest.length === 0) {
    return name === "parallel" ? { ...NOTHING, dynamic: "it runs the commands that it reads" } : NOTHING;
  }
  const replace = read.options.find((option) => ["-I", "-J", "-i", "--replace"].includes(option.name));
  const mark = replace?.value?.text ?? "{}";
  const marked = replace || name === "parallel" ? rest.map((word) => maskWord(word, mark)) : rest;
  const files = read.options.some((option) => option.name === "-a" || option.name === "--arg-file");
  return {
    commands: [{ type: "words", words: [...marked, unknownWords("...")], assignments: [] }],
    transparent: !files && name === "xargs",
  };
}

/** A word in which `mark` stands for something unknown. */
function maskWord(word: ShellWord, mark: string): ShellWord {
  const at = word.text.indexOf(mark);
  if (at < 0 || mark === "") return word;
  return { ...word, text: word.text.slice(0, at), prefix: word.prefix.slice(0, at), known: false };
}

function startedByFind(words: readonly ShellWord[]): Starts {
  const commands: Started[] = [];
  for (let at = 1; at < words.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at]?.text ?? "")) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(
      (word, index) => word.text === ";" || (word.text === "+" && rest[index - 1]?.text === "{}"),
    );
    const own = end < 0 ? rest : rest.slice(0, end);
    if (own.length > 0) {
      commands.push({ type: "words", words: own.map((word) => maskWord(word, "{}")), assignments: [] });
    }
    at += own.length;
  }
  return { commands, transparent: false };
}

function startedByFd(words: readonly ShellWord[]): Starts {
  const at = words.findIndex((word) => /^(-[xX]|--exec|--exec-batch)$/.test(word.text));
  if (at < 0)
    return words.some((word) => /^(-[a-zA-Z]*[xX]|--exec)/.test(word.text)) ? guessAll(words, 1) : NOTHING;
  const own = words.slice(at + 1).map((word) => maskWord(word, "{"));
  return inner([...own, unknownWords("...")], 0, false);
}

/** `npx cmd`, `uv run cmd`: a sub-command, options, then the command. */
function startedByRunner(words: readonly ShellWord[], subcommands: readonly string[]): Starts {
  if (subcommands.length === 0) return guessAll(words, 1);
  const at = words.findIndex((word, index) => index > 0 && subcommands.includes(word.text));
  return at < 0 ? NOTHING : guessAll(words, at + 1);
}

/** `su -c TEXT`, `watch TEXT`: text after an option, or all operands. */
function startedByText(words: readonly ShellWord[], option: string): Starts {
  const at = option === "" ? -1 : words.findIndex((word) => word.text === option);
  const value = at < 0 ? undefined : words[at + 1];
  if (value) return { ...wholeText([value], false), transparent: false };
  const guesses = guessAll(words, 1);
  const text = textOf(words.slice(1).filter((word) => !word.text.startsWith("-")));
  if (option === "" && text) guesses.commands.push({ type: "text", text, guess: true });
  return guesses;
}

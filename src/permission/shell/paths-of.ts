import { lookUp } from "../look-up.ts";
import { argumentsOf, commandName, type ShellCommand, type ShellWord } from "./command.ts";

/** Paths that a command would write or read, as far as its words say. */
export type TouchedWord = { word: ShellWord; how: "write" | "read"; source: string };

/** Writers whose last operand is the target. */
const TO_LAST = new Set(["cp", "mv", "install", "ln", "rsync", "scp"]);
/** Writers that change each operand. */
const EACH = new Set(
  "tee rm rmdir unlink shred truncate touch mkdir mkfifo mknod chmod chown chgrp setfacl chattr patch".split(
    " ",
  ),
);
/** Options whose value is a file to be written, by command. */
const OUTPUT_OPTIONS: Readonly<Record<string, RegExp | undefined>> = {
  sort: /^(-o|--output)$/,
  curl: /^(-o|--output|-D|--dump-header|-c|--cookie-jar)$/,
  wget: /^(-O|--output-document|-o|--output-file|-P|--directory-prefix)$/,
  gcc: /^-o$/,
  "g++": /^-o$/,
  cc: /^-o$/,
  clang: /^-o$/,
  tree: /^-o$/,
  base64: /^-o$/,
  git: /^(-o|--output|--file|-f)$/,
  find: /^-(fprint|fprint0|fprintf|fls)$/,
  openssl: /^-out$/,
  jq: /^$/,
  cp: /^(-t|--target-directory)$/,
  mv: /^(-t|--target-directory)$/,
  ln: /^(-t|--target-directory)$/,
  install: /^(-t|--target-directory)$/,
  tar: /^(-C|--directory)$/,
  unzip: /^-d$/,
};
/** Commands that do not read what their operands name. */
const NO_READ = new Set(
  (
    "echo printf test [ ls stat rm rmdir unlink touch mkdir chmod chown chgrp cd pushd basename dirname realpath " +
    "readlink which type export find fd fdfind tree du file ln sleep true false kill git"
  ).split(" "),
);
/** Commands whose first operand is a pattern or a script. */
const PATTERN_FIRST = new Set("grep egrep fgrep rg ag ack sed awk gawk mawk nawk jq yq perl".split(" "));
const GIT_READERS = new Set([
  "add",
  "diff",
  "hash-object",
  "blame",
  "apply",
  "am",
  "grep",
  "commit",
  "stage",
]);

/** The words of redirections and operands that are files, with what happens to them. */
export function touchedBy(command: ShellCommand): TouchedWord[] {
  const touched: TouchedWord[] = [];
  for (const redirect of command.redirects) {
    if (!redirect.target || redirect.kind === "text") continue;
    touched.push({ word: redirect.target, how: redirect.kind, source: redirect.source });
  }
  if (command.words.length === 0) return touched;
  const name = commandName(command);
  const write = (word: ShellWord): void => void touched.push({ word, how: "write", source: command.source });
  for (const word of writtenWords(name, command)) write(word);
  for (const word of readWords(name, command)) touched.push({ word, how: "read", source: command.source });
  return touched;
}

function writtenWords(name: string, command: ShellCommand): ShellWord[] {
  const args = argumentsOf(command);
  const operands = operandsOf(args);
  const written = optionValues(args, lookUp(OUTPUT_OPTIONS, name));
  if (EACH.has(name)) written.push(...(/^ch/.test(name) ? operands.slice(1) : operands));
  if (TO_LAST.has(name) && operands.length > 0) {
    const last = operands.at(-1) as ShellWord;
    written.push(last, ...operands.slice(0, -1).flatMap((source) => intoDirectory(last, source)));
    if (name === "mv") written.push(...operands.slice(0, -1));
  }
  if (name === "dd") written.push(...prefixed(args, "of="));
  if (/^(sed|perl|ruby)$/.test(name) && args.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word.text))) {
    written.push(...operands.slice(1));
  }
  if ((name === "find" && args.some((word) => word.text === "-delete")) || name === "unzip") {
    written.push(...operands.slice(0, 1));
  }
  if (name === "git") written.push(...gitWrites(args));
  return written;
}

/** `cp a .git/hooks` writes `.git/hooks/a`. */
function intoDirectory(target: ShellWord, source: ShellWord): ShellWord[] {
  const base = source.text.replace(/\/+$/, "");
  const name = base.slice(base.lastIndexOf("/") + 1);
  if (!source.known || !target.known || name === "" || name === "." || name === "..") return [];
  return [{ ...target, text: `${target.text.replace(/\/+$/, "")}/${name}` }];
}

function gitWrites(args: readonly ShellWord[]): ShellWord[] {
  const at = args.findIndex((word) => word.text === "rm" || word.text === "mv");
  return at < 0 ? [] : operandsOf(args.slice(at + 1));
}

function readWords(name: string, command: ShellCommand): ShellWord[] {
  const args = argumentsOf(command);
  if (name === "git") return args.some((word) => GIT_READERS.has(word.text)) ? candidates(args) : [];
  if (NO_READ.has(name) || command.transparent) return [];
  const skip =
    PATTERN_FIRST.has(name) && !args.some((word) => /^(-e|-f|--file|--regexp)$/.test(word.text)) ? 1 : 0;
  const operands = operandsOf(args).slice(skip);
  if (TO_LAST.has(name) && !args.some((word) => /^(-t|--target-directory)/.test(word.text))) operands.pop();
  const options = args.filter((word) => word.text.startsWith("-") && /[=@/.]/.test(word.text));
  return [...candidates(operands), ...candidates(options)];
}

/** The word itself, and what follows `=` or `@` in it (`--env-file=.env`, `-d @.env`, `file=@.env`). */
function candidates(words: readonly ShellWord[]): ShellWord[] {
  return words.flatMap((word) => {
    const cuts = [word];
    for (const mark of ["=", "@"]) {
      const at = word.text.lastIndexOf(mark);
      if (at >= 0) {
        cuts.push({ ...word, text: word.text.slice(at + 1), prefix: word.prefix.slice(at + 1) });
      }
    }
    return cuts.filter((one) => !one.text.startsWith("-"));
  });
}

function operandsOf(args: readonly ShellWord[]): ShellWord[] {
  const end = args.findIndex((word) => word.text === "--");
  const before = (end < 0 ? args : args.slice(0, end)).filter(
    (word) => !word.prefix.startsWith("-") || !word.known,
  );
  return end < 0 ? before : [...before, ...args.slice(end + 1)];
}

function optionValues(args: readonly ShellWord[], option: RegExp | undefined): ShellWord[] {
  if (!option) return [];
  return args.flatMap((word, index) => {
    const next = args[index + 1];
    if (option.test(word.text)) return next ? [next] : [];
    const equals = word.text.indexOf("=");
    if (word.text.startsWith("--") && equals > 0) {
      return option.test(word.text.slice(0, equals)) ? [cut(word, equals + 1)] : [];
    }
    return /^-[A-Za-z]./.test(word.text) && option.test(word.text.slice(0, 2)) ? [cut(word, 2)] : [];
  });
}

function prefixed(args: readonly ShellWord[], start: string): ShellWord[] {
  return args.filter((word) => word.text.startsWith(start)).map((word) => cut(word, start.length));
}

function cut(word: ShellWord, from: number): ShellWord {
  return { ...word, text: word.text.slice(from), prefix: word.prefix.slice(from) };
}

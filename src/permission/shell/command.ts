/**
 * What the parser makes of shell text: a flat list of the commands that could run, whatever they are nested
 * in, each with its decoded words. The rules and tables of this room read nothing else.
 */

/** One word of a command after quotes and known variables are taken away. */
export type ShellWord = {
  /** The value as far as it is known; unknown pieces are left out. */
  text: string;
  /** True when `text` is exactly what the program gets. */
  known: boolean;
  /** The known beginning of the value. */
  prefix: string;
  /** True when the shell may make several words of it, or none. */
  splits: boolean;
  /** True when it holds an unquoted pattern for file names. */
  glob: boolean;
  /** As written. */
  source: string;
};

export type ShellRedirect = {
  kind: "read" | "write" | "text";
  /** Absent when it only copies or closes a descriptor, or for text handed in. */
  target?: ShellWord;
  /** The literal text of a here-document or here-string, when known. */
  body?: string;
  source: string;
};

export type ShellAssignment = { name: string; value: ShellWord | null; source: string };

/** One simple command: as written, or one that another command starts. */
export type ShellCommand = {
  words: ShellWord[];
  assignments: ShellAssignment[];
  redirects: ShellRedirect[];
  /** As written. */
  source: string;
  /** Names of the commands that start this one, outermost first; empty for one that stands for itself. */
  startedBy: string[];
  /** True for a wrapper whose whole effect is what it starts. */
  transparent: boolean;
  /** True for a call of a function that the text defined before: what it runs is in the list. */
  callsFunction: boolean;
  /** Set when what it would run cannot be known from the text. */
  dynamic?: string;
  /** True when it may be a mere argument: it counts for denials, never for permissions. */
  guess: boolean;
  /** True when it reads its input from a pipe. */
  piped: boolean;
  /** Directories it may run in, absolute. */
  cwds: string[];
};

export type ShellScript = {
  commands: ShellCommand[];
  /** Why the text cannot be trusted to mean what the list says; empty for plain text. */
  problems: string[];
  /** Variables that loops and `read` set. */
  variables: string[];
  /** Set when a function starts itself over and over. */
  forkBomb: boolean;
};

/** A word whose value is `text`. */
export function knownWord(text: string): ShellWord {
  return { text, known: true, prefix: text, splits: false, glob: false, source: text };
}

/** Arguments that are only known when the command runs, such as those of `xargs`. */
export function unknownWords(source: string): ShellWord {
  return { text: "", known: false, prefix: "", splits: true, glob: false, source };
}

/** True when the word may turn out to be an option: it starts with `-`, or nobody knows how it starts. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.prefix.startsWith("-")) return true;
  if (word.known && !word.glob) return false;
  return word.prefix === "" || (word.splits && !word.known);
}

/** The name of a command without its directory. */
export function commandName(command: ShellCommand): string {
  const first = command.words[0];
  return first?.known ? baseName(first.text) : "";
}

/** The last component of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The words after the name. */
export function argumentsOf(command: ShellCommand): ShellWord[] {
  return command.words.slice(1);
}

import type { ShellWord } from "./command.ts";

/** Options of a command, as it spells them: `flags` stand alone, `values` take one more word. */
export type OptionSpec = { flags: string; values: string };

export type ReadOptions = {
  /** Index of the first operand. */
  operands: number;
  options: { name: string; value?: ShellWord }[];
  /** False when an option was met that the spec does not name, or a word that may be one. */
  sure: boolean;
};

/** Reads the options before the first operand, from `start` on. Stops at `--`, which is skipped. */
export function readOptions(words: readonly ShellWord[], spec: OptionSpec, start = 1): ReadOptions {
  const flags = new Set(spec.flags.split(" "));
  const values = new Set(spec.values.split(" "));
  const options: ReadOptions["options"] = [];
  let sure = true;
  let at = start;
  for (; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.text === "--" && word.known) {
      at++;
      break;
    }
    if (!word.prefix.startsWith("-") || word.text === "-") {
      if (!word.known && word.prefix === "") sure = false;
      break;
    }
    const read = readOne(word, flags, values);
    if (read === null) {
      sure = false;
      options.push({ name: word.text });
      continue;
    }
    const value = read.takesNext ? words[++at] : undefined;
    options.push(
      ...read.options.map((one, index, all) => (index === all.length - 1 && value ? { ...one, value } : one)),
    );
  }
  return { operands: at, options, sure };
}

type One = { options: { name: string; value?: ShellWord }[]; takesNext: boolean };

function readOne(word: ShellWord, flags: Set<string>, values: Set<string>): One | null {
  const { text } = word;
  if (flags.has(text)) return { options: [{ name: text }], takesNext: false };
  if (values.has(text)) return { options: [{ name: text }], takesNext: true };
  const equals = text.indexOf("=");
  if (text.startsWith("--")) {
    const name = equals < 0 ? text : text.slice(0, equals);
    if (equals < 0 || !(values.has(name) || flags.has(name))) return null;
    return { options: [{ name, value: rest(word, equals + 1) }], takesNext: false };
  }
  return readCluster(word, flags, values);
}

/** `-abc`: flags in one word, the last of which may take a value. */
function readCluster(word: ShellWord, flags: Set<string>, values: Set<string>): One | null {
  const options: One["options"] = [];
  for (let at = 1; at < word.text.length; at++) {
    const name = `-${word.text[at]}`;
    if (values.has(name)) {
      const last = at === word.text.length - 1;
      options.push(last ? { name } : { name, value: rest(word, at + 1) });
      return { options, takesNext: last };
    }
    if (!flags.has(name)) return null;
    options.push({ name });
  }
  return { options, takesNext: false };
}

function rest(word: ShellWord, from: number): ShellWord {
  return {
    ...word,
    text: word.text.slice(from),
    prefix: word.prefix.slice(from),
    source: word.text.slice(from),
  };
}

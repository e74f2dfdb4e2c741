import type { ShellCommand, ShellWord } from "./command.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import type { Starts } from "./starts.ts";

const SHELL: OptionSpec = {
  flags:
    "-c -e -u -x -f -h -n -v -s -l -i -r -p -a -b -k -m -t -B -C -E -H -P -T -D --login --norc --noprofile --posix --restricted --verbose --noediting",
  values: "-o -O --rcfile --init-file",
};
/** Options that change nothing about which commands run. */
const HARMLESS = new Set(["-c", "-e", "-u", "-x", "-f", "-o", "--norc", "--noprofile", "--posix"]);

/** A shell runs the text after `-c`, its here-document, a file, or whatever it reads. */
export function startedByShell(command: ShellCommand): Starts {
  const { words } = command;
  const read = readOptions(words, SHELL);
  const names = new Set(read.options.map((option) => option.name));
  const operand = words[read.operands];
  if (!read.sure)
    return { commands: [], transparent: false, dynamic: "a shell with options that are not known" };
  if (names.has("-c")) {
    if (!operand?.known)
      return { commands: [], transparent: false, dynamic: "it runs text that is only known later" };
    const plain = [...names].every((name) => HARMLESS.has(name));
    return { commands: [{ type: "text", text: operand.text }], transparent: plain };
  }
  if (operand && !names.has("-s")) return { commands: [], transparent: false };
  return fromInput(command);
}

function fromInput(command: ShellCommand): Starts {
  const given = command.redirects.filter((one) => one.kind !== "write");
  const last = given.at(-1);
  if (last?.kind === "text" && last.body !== undefined) {
    return { commands: [{ type: "text", text: last.body }], transparent: true };
  }
  if (last || command.piped)
    return { commands: [], transparent: false, dynamic: "a shell runs what it reads" };
  return { commands: [], transparent: false };
}

/** Words joined as a shell would join them, or null when one is not known. */
export function textOf(words: readonly ShellWord[]): string | null {
  return words.every((word) => word.known && !word.glob) ? words.map((word) => word.text).join(" ") : null;
}

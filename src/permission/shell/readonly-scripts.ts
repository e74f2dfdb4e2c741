import type { ShellWord } from "./command.ts";

const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const SUBSTITUTION = ["/", "|", "#", ",", ":"]
  .map((mark) => {
    const inside = `(?:[^${mark}\\\\\\n]|\\\\.)*`;
    const edge = `\\${mark}`;
    return `s${edge}${inside}${edge}${inside}${edge}[gpiI0-9]*`;
  })
  .join("|");
const SED_COMMAND = new RegExp(
  `^(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\\d+))?)?\\s*!?\\s*(?:[pdqQ=nNhHgGxlDP]|[qQ]\\d+|${SUBSTITUTION})?$`,
);

/** True for a sed call that prints only: no `w`, `e`, `-i`, script file, or word that is not known. */
export function isHarmlessSed(args: readonly ShellWord[]): boolean {
  const scripts: ShellWord[] = [];
  let given = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as ShellWord;
    if (!word.known) {
      if (!given || word.prefix === "" || word.prefix.startsWith("-")) return false;
    } else if (word.text === "-e" || word.text === "--expression") {
      const next = args[++at];
      if (!next) return false;
      scripts.push(next);
      given = true;
    } else if (word.text.startsWith("-") && word.text !== "-") {
      if (!/^(-[nEr]+|--quiet|--silent|--regexp-extended|--posix|--sandbox)$/.test(word.text)) return false;
    } else if (!given) {
      scripts.push(word);
      given = true;
    } else if (word.glob && word.prefix === "") return false;
  }
  return scripts.length > 0 && scripts.every((word) => word.known && !word.glob && isPrintScript(word.text));
}

function isPrintScript(script: string): boolean {
  if (SED_COMMAND.test(script.trim())) return true;
  return script.split(/[;\n]/).every((part) => SED_COMMAND.test(part.trim()));
}

/** True for an awk call whose program neither writes, starts nor loads anything. */
export function isHarmlessAwk(args: readonly ShellWord[]): boolean {
  let program: ShellWord | null = null;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as ShellWord;
    if (program) {
      if (!word.known && word.prefix === "") return false;
      continue;
    }
    if (word.known && word.text === "-F") at++;
    else if (word.known && word.text === "-v") at++;
    else if (word.text.startsWith("-") || !word.known) {
      if (!/^-F./.test(word.text) || !word.known) return false;
    } else program = word;
  }
  return (
    program !== null && !program.glob && !/system|getline|[|@]|>(?!=)|close|fflush|ENVIRON/.test(program.text)
  );
}

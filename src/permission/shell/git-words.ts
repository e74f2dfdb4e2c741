import type { ShellWord } from "./command.ts";
import { type OptionSpec, readOptions } from "./options.ts";

const GLOBAL: OptionSpec = {
  flags:
    "-p -P --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path --version -v --help -h --exec-path",
  values: "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds",
};

export type GitWords = {
  /** Options before the sub-command. */
  options: { name: string; value?: ShellWord }[];
  /** The sub-command; null when there is none or it is not known. */
  subcommand: string | null;
  args: ShellWord[];
  /** False when it cannot be told where the sub-command is. */
  sure: boolean;
};

/** Takes a git command line apart. `words[0]` is git itself. */
export function readGit(words: readonly ShellWord[]): GitWords {
  const read = readOptions(words, GLOBAL);
  const word = words[read.operands];
  return {
    options: read.options,
    subcommand: word?.known ? word.text : null,
    args: words.slice(read.operands + 1),
    sure: read.sure && (word === undefined || word.known),
  };
}

import type { ShellAssignment, ShellWord } from "./command.ts";

/** What a command starts: words of a command, or text for a shell. */
export type Started = (
  | { type: "words"; words: ShellWord[]; assignments: ShellAssignment[] }
  | { type: "text"; text: string }
) & { guess?: boolean };

export type Starts = {
  commands: Started[];
  /** True when starting them is all the command does. */
  transparent: boolean;
  /** Set when it starts something that the text does not say. */
  dynamic?: string;
};

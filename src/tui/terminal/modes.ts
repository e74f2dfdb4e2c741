/** A terminal mode that was switched on: how to switch it off and on again. */
type Mode = { on: string; off: string };

/** What was changed of the terminal, so that every way out can give it back. */
export type Modes = {
  set(mode: Mode): string;
  /** Bytes that undo all, newest first; the list stays for `again`. */
  undo(): string;
  /** Bytes that set all again, after a suspension. */
  again(): string;
};

/**
 * Bracketed paste is the one mode in use: the shell that follows a killed process sets it as it needs it. No
 * mouse, no alternate screen, no keyboard or focus modes, no title: nobody could undo those for us.
 */
export const BRACKETED_PASTE: Mode = { on: "\x1b[?2004h", off: "\x1b[?2004l" };

export function createModes(): Modes {
  const modes: Mode[] = [];
  return {
    set(mode) {
      modes.push(mode);
      return mode.on;
    },
    undo: () =>
      modes
        .map((mode) => mode.off)
        .reverse()
        .join(""),
    again: () => modes.map((mode) => mode.on).join(""),
  };
}

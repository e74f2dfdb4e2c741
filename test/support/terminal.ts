import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { LATHE, type Lab, until } from "./lab.ts";

export type Screen = {
  pty: IPty;
  /** Everything that was written, as it came. */
  raw(): string;
  /** All rows of the emulator, scrollback first, without trailing blanks. */
  rows(): string[];
  /** The rows of the window. */
  window(): string[];
  cursor(): { row: number; column: number };
  type(text: string): void;
  /** Waits until the text stands in the scrollback or the window. */
  see(text: string | RegExp, timeoutMs?: number): Promise<void>;
  resize(columns: number, rows: number): void;
  readonly exit: { code: number; signal: number | undefined } | null;
  exited(timeoutMs?: number): Promise<{ code: number; signal: number | undefined }>;
  close(): void;
};

export type ScreenOptions = {
  columns?: number;
  rows?: number;
  env?: Record<string, string | undefined>;
  /** False: an emulator that cuts lines when it gets narrower, instead of breaking them anew. */
  reflow?: boolean;
  /** Runs this instead of lathe. */
  command?: [string, ...string[]];
};

/** The product in a real pseudo-terminal, seen through a screen emulator. */
export function openScreen(lab: Lab, args: string[], options: ScreenOptions = {}): Screen {
  const { columns = 80, rows = 24 } = options;
  const [file, ...rest] = options.command ?? [process.env.LATHE_NODE ?? process.execPath, LATHE, ...args];
  const env = { ...lab.environment, TERM: "xterm-256color", ...options.env };
  const pty = spawn(file, rest, {
    name: env.TERM,
    cols: columns,
    rows,
    cwd: lab.work,
    env: env as Record<string, string>,
  });
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
    windowsPty: options.reflow === false ? { backend: "winpty", buildNumber: 1 } : {},
  });
  let raw = "";
  let exit: Screen["exit"] = null;
  pty.onData((data) => {
    raw += data;
    emulator.write(data);
  });
  pty.onExit(({ exitCode, signal }) => {
    exit = { code: exitCode, signal };
  });
  const lines = (from: number): string[] => {
    const { active } = emulator.buffer;
    const found: string[] = [];
    for (let row = from; row < active.length; row++)
      found.push(active.getLine(row)?.translateToString(true) ?? "");
    return found;
  };
  const screen: Screen = {
    pty,
    raw: () => raw,
    rows: () => lines(0),
    window: () => lines(emulator.buffer.active.baseY),
    cursor: () => ({ row: emulator.buffer.active.cursorY, column: emulator.buffer.active.cursorX }),
    type: (text) => pty.write(text),
    async see(text, timeoutMs = 20_000) {
      const there = (): boolean => {
        const all = screen.rows().join("\n");
        return typeof text === "string" ? all.includes(text) : text.test(all);
      };
      await until(
        `the screen shows ${text}; it shows\n${screen.window().join("\n")}\n`,
        there,
        timeoutMs,
      ).catch(() => {
        throw new Error(`timed out: ${text} is not on the screen:\n${screen.window().join("\n")}`);
      });
    },
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows);
      pty.resize(nextColumns, nextRows);
    },
    get exit() {
      return exit;
    },
    async exited(timeoutMs = 5000) {
      await until("the screen ends", () => exit !== null, timeoutMs);
      return exit ?? { code: -1, signal: undefined };
    },
    close() {
      if (exit === null) pty.kill("SIGKILL");
      emulator.dispose();
    },
  };
  return screen;
}

/** Modes that the bytes leave switched on: private modes, kitty's keyboard flags; a hidden cursor counts as one. */
export function modesLeftOn(raw: string): string[] {
  const on = new Set<string>();
  for (const [, marks = "", parameters = "", final = ""] of raw.matchAll(
    /\x1b\[([?><=]?)([0-9;]*)([a-zA-Z])/g,
  )) {
    if (marks === "?" && (final === "h" || final === "l")) {
      for (const mode of parameters.split(";")) {
        // The cursor and automatic wrapping are on by themselves.
        const normal = mode === "25" || mode === "7";
        if ((final === "h") !== normal) on.add(mode);
        else on.delete(mode);
      }
    } else if (final === "u" && marks === ">") on.add("kitty");
    else if (final === "u" && marks === "<") on.delete("kitty");
  }
  return [...on];
}

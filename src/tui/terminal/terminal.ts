import { writeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Theme } from "../theme/theme.ts";
import { createLiveArea, type Picture } from "./live-area.ts";
import { BRACKETED_PASTE, createModes } from "./modes.ts";

export type TerminalInput = Readable & { isTTY?: boolean; setRawMode?(on: boolean): unknown };
export type TerminalOutput = Writable & { isTTY?: boolean; columns?: number; rows?: number; fd?: number };

/** The one writer to the terminal. */
export type Terminal = {
  readonly columns: number;
  readonly rows: number;
  /** Draws as soon as 40 ms have passed since the frame before; many calls make one frame. */
  requestFrame(): void;
  /** Draws now: for the echo of a key. */
  frameNow(): void;
  bell(): void;
  /**
   * Erases the live rows and gives the terminal back; `resume` takes it again. `foreign`: others have written
   * meanwhile, so nothing is erased.
   */
  pause(foreign?: boolean): void;
  resume(): void;
  /** Gives the terminal back for good; harmless when repeated. `last` is written below what stands there. */
  close(last?: string): void;
};

export type TerminalOptions = {
  input: TerminalInput;
  output: TerminalOutput;
  theme: Theme;
  reflows: boolean;
  now(): number;
  /** Gives the picture to draw; the committed lines in it count as drawn afterwards. */
  picture(): Picture;
  onInput(bytes: Buffer): void;
  onEnd(): void;
};

const FRAME_MS = 40;

export function openTerminal(options: TerminalOptions): Terminal {
  const { input, output } = options;
  const area = createLiveArea(options.theme, options.reflows);
  const modes = createModes();
  let timer: NodeJS.Timeout | null = null;
  let lastFrame = Number.NEGATIVE_INFINITY;
  let full = false;
  let state: "on" | "paused" | "closed" = "on";
  let bells = "";

  const write = (bytes: string): void => {
    if (bytes === "") return;
    if (!output.write(bytes) && !full) {
      // A slow terminal: later frames wait and become one.
      full = true;
      output.once("drain", () => {
        full = false;
        terminal.requestFrame();
      });
    }
  };
  const onResize = (): void => {
    area.resized(output.columns || 80);
    terminal.requestFrame();
  };
  const onData = (bytes: Buffer): void => options.onInput(bytes);
  const onEnd = (): void => options.onEnd();
  const stopTimer = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
  };

  const terminal: Terminal = {
    get columns() {
      return output.columns || 80;
    },
    get rows() {
      return output.rows || 24;
    },
    requestFrame() {
      if (timer || state !== "on" || full) return;
      const wait = FRAME_MS - (options.now() - lastFrame);
      if (wait <= 0) return terminal.frameNow();
      timer = setTimeout(
        () => {
          timer = null;
          terminal.frameNow();
        },
        Math.min(wait, FRAME_MS),
      );
    },
    frameNow() {
      if (state !== "on" || full) return;
      stopTimer();
      lastFrame = options.now();
      const bytes = area.draw(options.picture()) + bells;
      bells = "";
      write(bytes);
    },
    bell() {
      bells = "\x07";
      terminal.requestFrame();
    },
    pause(foreign = false) {
      if (state !== "on") return;
      state = "paused";
      if (foreign) area.forget();
      stopTimer();
      sync(output, area.erase() + modes.undo());
      give(input, onData);
    },
    resume() {
      if (state !== "paused") return;
      state = "on";
      area.forget();
      take(input, onData);
      write(modes.again());
      terminal.frameNow();
    },
    close(last = "") {
      if (state === "closed") return;
      const bytes = state === "on" ? area.erase() + modes.undo() : "";
      state = "closed";
      stopTimer();
      unwatch();
      sync(output, bytes + last);
      try {
        give(input, onData);
      } catch {
        // The terminal itself is gone.
      }
    },
  };
  take(input, onData);
  const unwatch = watch(input, output, onResize, onEnd);
  write(modes.set(BRACKETED_PASTE));
  return terminal;
}

/** Calls back for another size and for the end of the terminal; an error stays listened to, or it would be thrown. */
function watch(
  input: TerminalInput,
  output: TerminalOutput,
  onResize: () => void,
  onEnd: () => void,
): () => void {
  output.on("resize", onResize);
  output.on("error", onEnd);
  input.on("error", onEnd);
  input.on("end", onEnd);
  input.on("close", onEnd);
  return () => {
    output.off("resize", onResize);
    input.off("end", onEnd);
    input.off("close", onEnd);
  };
}

function take(input: TerminalInput, onData: (bytes: Buffer) => void): void {
  input.setRawMode?.(true);
  input.on("data", onData);
  input.resume();
}

function give(input: TerminalInput, onData: (bytes: Buffer) => void): void {
  input.off("data", onData);
  input.setRawMode?.(false);
  input.pause();
}

/** Written at once, so that it is there before the process stops or ends. */
function sync(output: TerminalOutput, bytes: string): void {
  if (output.fd === undefined || output.writableLength > 0) {
    output.write(bytes);
    return;
  }
  try {
    const buffer = Buffer.from(bytes);
    for (let at = 0; at < buffer.length; ) at += writeSync(output.fd, buffer, at);
  } catch {
    output.write(bytes);
  }
}

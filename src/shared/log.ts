import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { createRedactor } from "./redact.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Values that say more about a line; nested values are written as JSON. */
export type LogFields = { [name: string]: unknown };

/**
 * A log of JSON lines: `time` (ISO 8601), `level`, `message`, then the fields. Values that look like keys, or
 * were named with `hide`, are never written. Logging never fails and never throws: a full disk loses lines.
 */
export type Log = {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  setLevel(level: LogLevel): void;
  /** A secret of this process (a model key): its text is blacked out from now on. */
  hide(secret: string): void;
  /** Opens the file anew, for those who moved it away. */
  reopen(): void;
  close(): void;
};

export type LogOptions = {
  /** Made with its folder, readable by this user only. The old one is kept as `<file>.1`. */
  file: string;
  level: LogLevel;
  now(): number;
  /** Size at which the file is put aside; so at most twice this is kept. */
  maxBytes?: number;
};

const MAX_BYTES = 1024 * 1024;
const MAX_LINE = 16 * 1024;

export function createLog(options: LogOptions): Log {
  const { file, now, maxBytes = MAX_BYTES } = options;
  const redactor = createRedactor();
  let threshold = LOG_LEVELS.indexOf(options.level);
  let open = openFile(file);

  const put = (line: string): void => {
    const bytes = Buffer.from(line);
    if (open !== null && open.size > 0 && open.size + bytes.length > maxBytes) {
      closeFile(open);
      open = putAside(file) ? openFile(file) : null;
    }
    open ??= openFile(file);
    if (open === null) return;
    try {
      open.size += writeSync(open.descriptor, bytes);
    } catch {
      // Nowhere to say it.
    }
  };

  return {
    write(level, message, fields = {}) {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      const entry = { time: new Date(now()).toISOString(), level, message, ...fields };
      put(`${clip(redactor.line(entry))}\n`);
    },
    setLevel(level) {
      threshold = LOG_LEVELS.indexOf(level);
    },
    hide: redactor.hide,
    reopen() {
      if (open !== null) closeFile(open);
      open = openFile(file);
    },
    close() {
      if (open !== null) closeFile(open);
      open = null;
      threshold = LOG_LEVELS.length;
    },
  };
}

type OpenFile = { descriptor: number; size: number };

function openFile(file: string): OpenFile | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, "a", 0o600);
    return { descriptor, size: fstatSync(descriptor).size };
  } catch {
    return null;
  }
}

function closeFile(open: OpenFile): void {
  try {
    closeSync(open.descriptor);
  } catch {
    // It was closed by somebody else; what counts is that it is closed.
  }
}

function putAside(file: string): boolean {
  try {
    renameSync(file, `${file}.1`);
    return true;
  } catch {
    return false;
  }
}

/** A line that is still JSON when it was too long. */
function clip(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const { time, level, message } = JSON.parse(line) as { time: string; level: string; message: string };
  return JSON.stringify({
    time,
    level,
    message: message.slice(0, MAX_LINE / 4).toWellFormed(),
    cut: line.length,
  });
}

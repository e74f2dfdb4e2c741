import { execFile } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { systemProgram } from "../git/run-git.ts";

/** Both ends of a real pipe, as descriptors of this process. */
export type PipeEnds = { read: number; write: number };

/**
 * Pipes for the output of commands. Node's own are sockets, and those cannot be opened by name: `> /dev/stderr`
 * in a script, or `tee /dev/stdout`, would fail.
 */
export type PipeSource = {
  /** `null` when none can be made: then Node's own will do. */
  take(): Promise<PipeEnds | null>;
};

const BATCH = 32;
const LOW = 6;

/** Named pipes are made below `folder`, many at a time; a name is gone as soon as its pipe is in use. */
export function createPipeSource(folder: string, newId: () => string): PipeSource {
  const ready: string[] = [];
  let making: Promise<void> | null = null;
  let cleaned = false;

  const make = async (): Promise<void> => {
    if (!cleaned) rmSync(folder, { recursive: true, force: true });
    cleaned = true;
    const place = join(folder, newId());
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const names = Array.from({ length: BATCH }, (_, index) => join(place, String(index)));
    if (await makeNamedPipes(names)) ready.push(...names);
  };
  const makeOnce = (): Promise<void> => {
    making ??= make()
      .catch(() => undefined)
      .finally(() => {
        making = null;
      });
    return making;
  };

  return {
    async take() {
      if (ready.length === 0) await makeOnce();
      else if (ready.length < LOW) void makeOnce();
      const name = ready.pop();
      return name === undefined ? null : openEnds(name);
    },
  };
}

function openEnds(name: string): PipeEnds | null {
  let read: number | null = null;
  try {
    read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(name, constants.O_WRONLY);
    unlinkSync(name);
    return { read, write };
  } catch {
    if (read !== null) closeSync(read);
    return null;
  }
}

function makeNamedPipes(names: readonly string[]): Promise<boolean> {
  const program = systemProgram("mkfifo");
  if (program === null) return Promise.resolve(false);
  return new Promise((done) => {
    execFile(program, ["-m", "600", ...names], { env: {}, timeout: 5000 }, (error) => done(error === null));
  });
}

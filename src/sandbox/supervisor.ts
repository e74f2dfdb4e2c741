import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { BoundedText } from "../protocol/ports.ts";
import { deferred, delay } from "../shared/async.ts";
import { createBoundedBuffer } from "../shared/bounded.ts";
import { errorMessage } from "../shared/error.ts";
import { endTree, killLeftovers, signalGroup, type TreeKind } from "./supervisor/end-tree.ts";
import type { PipeSource } from "./supervisor/pipes.ts";
import { createProgress } from "./supervisor/progress.ts";

/** What to start. Nothing is inherited: `env` is whole, stdin is empty, other descriptors are closed. */
export type Launch = {
  /** Absolute path of the program. */
  file: string;
  argv: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Bytes that the program reads from descriptor 3, 4, ... */
  inputs?: readonly Uint8Array[];
  /** Where pipes for its output come from; Node's own (sockets) when absent. */
  pipes?: PipeSource;
  tree: TreeKind;
};

export type Supervision = {
  timeoutMs: number;
  /** Bytes of one stream that are kept; no more memory is used, and no disk. */
  outputBytes: number;
  signal: AbortSignal;
  /** Text as it comes, for showing; of a flood only samples. */
  onOutput?: (text: string) => void;
  /** Told the process id once it runs. */
  onStart?: (pid: number) => void;
  now(): number;
};

export type ProcessEnd = {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  interrupted: boolean;
  stdout: BoundedText;
  stderr: BoundedText;
  durationMs: number;
};

export type Supervised = { started: true; end: ProcessEnd } | { started: false; reason: string };

/** After the command has ended, how long others that still hold its pipes are listened to. */
const DRAIN_MS = 100;

/**
 * Runs one program in a session of its own until it ends, runs out of time or is interrupted; then nothing of
 * it is left. Answers when the program itself has ended, also when children in the background hold its pipes.
 */
export async function supervise(launch: Launch, options: Supervision): Promise<Supervised> {
  const startedAt = options.now();
  const begun = await start(launch);
  if (typeof begun === "string") return { started: false, reason: begun };
  const { child, stdout, stderr } = begun;
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const out = createBoundedBuffer(options.outputBytes);
  const err = createBoundedBuffer(options.outputBytes);
  const progress = options.onOutput ? createProgress(options.onOutput, options.now) : null;
  const drained = Promise.all([
    collect(stdout, (chunk) => {
      out.push(chunk);
      progress?.(chunk);
    }),
    collect(stderr, (chunk) => {
      err.push(chunk);
      progress?.(chunk);
    }),
  ]);
  const exit = whenEnded(child);
  const stopped = await stopInTime(child, launch, options, exit);
  const ending = await exit;
  if (ending.failure !== null) return { started: false, reason: ending.failure };
  if (child.pid !== undefined) {
    signalGroup(child.pid);
    await killLeftovers(launch.tree);
  }
  await settle(drained, [stdout, stderr, ...child.stdio]);
  return {
    started: true,
    end: {
      exitCode: ending.code,
      signal: ending.signal,
      timedOut: stopped === "timeout",
      interrupted: stopped === "abort",
      stdout: out.read(),
      stderr: err.read(),
      durationMs: options.now() - startedAt,
    },
  };
}

type Begun = { child: ChildProcess; stdout: Readable | null; stderr: Readable | null };

async function start(launch: Launch): Promise<Begun | string> {
  const inputs = launch.inputs ?? [];
  const pipes = [await launch.pipes?.take(), await launch.pipes?.take()];
  try {
    const child = spawn(launch.file, launch.argv, {
      cwd: launch.cwd,
      env: launch.env,
      detached: true,
      stdio: [
        "ignore",
        pipes[0]?.write ?? "pipe",
        pipes[1]?.write ?? "pipe",
        ...inputs.map(() => "pipe" as const),
      ],
    });
    for (const [index, bytes] of inputs.entries()) feed(child.stdio[index + 3] as Writable | null, bytes);
    const [stdout = null, stderr = null] = pipes.map(
      (ends) => ends && new Socket({ fd: ends.read, writable: false }),
    );
    return { child, stdout: stdout ?? child.stdout, stderr: stderr ?? child.stderr };
  } catch (error) {
    for (const ends of pipes) if (ends) closeSync(ends.read);
    return errorMessage(error);
  } finally {
    for (const ends of pipes) if (ends) closeSync(ends.write);
  }
}

function feed(stream: Writable | null, bytes: Uint8Array): void {
  // A program that ends before it has read all of it says why itself.
  stream?.on("error", () => undefined);
  stream?.end(bytes);
}

type Ending = { code: number | null; signal: string | null; failure: string | null };

function whenEnded(child: ChildProcess): Promise<Ending> {
  const ended = deferred<Ending>();
  child.once("error", (error) => ended.resolve({ code: null, signal: null, failure: error.message }));
  child.once("exit", (code, signal) => ended.resolve({ code, signal, failure: null }));
  return ended.promise;
}

/** Waits for the end; at the limit or at an interrupt the whole tree is ended, and the cause is told. */
async function stopInTime(
  child: ChildProcess,
  launch: Launch,
  options: Supervision,
  exit: Promise<Ending>,
): Promise<"timeout" | "abort" | null> {
  const over = new AbortController();
  const aborted = deferred<"abort">();
  const onAbort = (): void => aborted.resolve("abort");
  if (options.signal.aborted) onAbort();
  options.signal.addEventListener("abort", onAbort, { once: true });
  const first = await Promise.race([
    exit.then(() => null),
    aborted.promise,
    delay(options.timeoutMs, over.signal).then(() => "timeout" as const),
  ]);
  over.abort();
  options.signal.removeEventListener("abort", onAbort);
  if (first !== null && child.pid !== undefined) await endTree(child.pid, launch.tree, exit);
  return first;
}

function collect(stream: Readable | null, take: (chunk: Buffer) => void): Promise<void> {
  const done = deferred<void>();
  if (stream === null) return Promise.resolve();
  stream.on("data", take);
  stream.once("close", () => done.resolve());
  stream.on("error", () => done.resolve());
  return done.promise;
}

async function settle(
  drained: Promise<unknown>,
  streams: readonly (Readable | Writable | null | undefined)[],
): Promise<void> {
  const over = new AbortController();
  await Promise.race([drained, delay(DRAIN_MS, over.signal)]);
  over.abort();
  for (const stream of streams) stream?.destroy();
}

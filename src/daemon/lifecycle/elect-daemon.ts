import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { delay } from "../../shared/async.ts";
import { AppError, errorCode } from "../../shared/error.ts";
import { ensurePrivateDirectory } from "../../shared/private-directory.ts";
import { answers } from "../server/start-server.ts";
import { identityOf, livenessOf, type ProcessIdentity } from "./process-identity.ts";

/** Who owns the state folder: written to `daemon.json` for clients, and into the lock. */
export type DaemonRecord = {
  process: ProcessIdentity;
  version: string;
  socketPath: string;
  startedAt: number;
};

export type Election =
  | { won: true; lease: Lease }
  /** Another daemon owns the state folder and answers, or will. */
  | { won: false; holder: DaemonRecord };

/** Ownership of the state folder; ends with the process, however that ends. */
export type Lease = {
  /** Tells clients where this daemon listens; call when the server is up. */
  announce(): void;
  /** Takes the announcement back, at the end of an orderly stop. */
  withdraw(): void;
};

export type ElectionOptions = {
  /** The state folder; one daemon owns it. */
  stateDir: string;
  record: Omit<DaemonRecord, "process">;
  /** How long a holder that does not answer (it starts or stops) is waited for. */
  waitMs?: number;
  signal?: AbortSignal;
};

const WAIT_MS = 10_000;
const POLL_MS = 20;

/**
 * Decides which of the daemons that start for one state folder goes on; exactly one does, also when its
 * predecessor was killed. The lock is a row of files `lock.<n>` of which the highest counts. A file is made
 * whole (link) or not at all, and only as `n + 1` after the holder of `n` was seen dead, so two contenders
 * collide on the name; a file is removed only by the owner of a higher one, so numbers never come back and
 * a contender that slept learns, by looking again after its own link, that it came too late.
 *
 * AppError `daemon_stuck` when the holder lives but does not answer within `waitMs`.
 */
export async function electDaemon(options: ElectionOptions): Promise<Election> {
  const folder = join(options.stateDir, "daemon");
  ensurePrivateDirectory(options.stateDir);
  ensurePrivateDirectory(folder);
  const own: DaemonRecord = { ...options.record, process: identityOf(process.pid) };
  const began = performance.now();
  for (;;) {
    const holder = readHolder(folder);
    const record = holder?.record ?? null;
    if (record === null || !(await isAlive(record))) {
      if (claim(folder, (holder?.number ?? 0) + 1, own))
        return { won: true, lease: leaseOf(options.stateDir, own) };
      continue;
    }
    if (await answers(record.socketPath)) return { won: false, holder: record };
    if (performance.now() - began > (options.waitMs ?? WAIT_MS)) throw stuck(record);
    if (options.signal?.aborted) throw new AppError("aborted", "the start of the daemon was given up");
    await delay(POLL_MS, options.signal);
  }
}

/** Where clients read who runs. */
export function daemonFileOf(stateDir: string): string {
  return join(stateDir, "daemon", "daemon.json");
}

async function isAlive(record: DaemonRecord): Promise<boolean> {
  const liveness = livenessOf(record.process);
  return liveness === "unknown" ? answers(record.socketPath) : liveness === "alive";
}

/** `record` is null when the file is no whole record: a power cut left it, so its writer is gone. */
type Holder = { number: number; record: DaemonRecord | null };

const LOCK = /^lock\.(\d{1,9})$/;

function numbersIn(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const match = LOCK.exec(name);
    return match ? [Number(match[1])] : [];
  });
}

function readHolder(folder: string): Holder | null {
  const numbers = numbersIn(folder);
  if (numbers.length === 0) return null;
  const number = Math.max(...numbers);
  try {
    return { number, record: parseRecord(readFileSync(join(folder, `lock.${number}`), "utf8")) };
  } catch (error) {
    // Removed just now by the owner of a higher one.
    if (errorCode(error) === "ENOENT") return readHolder(folder);
    throw error;
  }
}

function parseRecord(text: string): DaemonRecord | null {
  try {
    const record = JSON.parse(text) as Partial<DaemonRecord> | null;
    const whole = typeof record?.process?.pid === "number" && typeof record.socketPath === "string";
    return whole ? (record as DaemonRecord) : null;
  } catch {
    return null;
  }
}

/** True when this process owns the folder now. */
function claim(folder: string, number: number, own: DaemonRecord): boolean {
  const lock = join(folder, `lock.${number}`);
  const draft = join(folder, `draft.${own.process.pid}`);
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    linkSync(draft, lock);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const numbers = numbersIn(folder);
  if (numbers.some((other) => other > number)) {
    rmSync(lock, { force: true });
    return false;
  }
  for (const other of numbers) if (other < number) rmSync(join(folder, `lock.${other}`), { force: true });
  return true;
}

function leaseOf(stateDir: string, own: DaemonRecord): Lease {
  const file = daemonFileOf(stateDir);
  return {
    announce() {
      const draft = `${file}.${own.process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ ...own, pid: own.process.pid })}\n`, { mode: 0o600 });
      renameSync(draft, file);
    },
    withdraw: () => rmSync(file, { force: true }),
  };
}

function stuck(holder: DaemonRecord): AppError {
  return new AppError(
    "daemon_stuck",
    `the daemon with pid ${holder.process.pid} (version ${holder.version}) runs but does not answer on ${holder.socketPath}; end it with \`kill ${holder.process.pid}\``,
  );
}

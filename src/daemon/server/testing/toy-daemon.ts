import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../../protocol/rpc.ts";
import { methodNames } from "../../../protocol/schema/parse-params.ts";
import { AppError } from "../../../shared/error.ts";
import { createLog } from "../../../shared/log.ts";
import { electDaemon } from "../../lifecycle/elect-daemon.ts";
import { createIdleExit } from "../../lifecycle/idle-exit.ts";
import { installShutdown } from "../../lifecycle/shutdown.ts";
import type { Handlers } from "../handlers.ts";
import { type RpcServer, startServer } from "../start-server.ts";
import { toySessions } from "./toy-sessions.ts";

export type ToyOptions = {
  stateDir: string;
  socketPath: string;
  version: string;
  protocolVersion?: number;
  idleMs?: number;
  busy?: boolean;
  /** Facts of one page, to see that clients page on. */
  pageSize?: number;
  startDelayMs?: number;
  /** The folder of the test: when it is gone, the test is over and a latecomer ends itself. */
  testDir?: string;
  /** Ends with this on stderr before anything is done. */
  failWith?: string;
};

/** Handlers with just enough behind them; methods that tests do not need say so. */
export function toyHandlers(options: ToyOptions, stop: () => void): Handlers {
  const refuse = async (): Promise<never> => {
    throw new AppError("not_in_toy", "the toy daemon cannot do this");
  };
  const rest = Object.fromEntries(methodNames().map((method) => [method, refuse])) as unknown as Handlers;
  const busy = options.busy ?? false;
  return {
    ...rest,
    ...toySessions(join(options.stateDir, "facts.jsonl"), options.pageSize),
    initialize: async () => ({
      protocolVersion: options.protocolVersion ?? PROTOCOL_VERSION,
      version: options.version,
      pid: process.pid,
      startedAt: 0,
      busy,
    }),
    "session.list": async () => {
      throw new TypeError("a bug in a handler");
    },
    "daemon.stop": async ({ force }) => {
      const stopping = !busy || force === true;
      if (stopping) stop();
      return { stopping, working: busy ? 1 : 0 };
    },
  };
}

/**
 * A whole daemon for tests of client, server and lifecycle: everything but the agent.
 * @public The script that build-toy.ts makes calls it.
 */
export async function runToyDaemon(options: ToyOptions): Promise<void> {
  if (options.failWith !== undefined) {
    process.stderr.write(`${options.failWith}\n`);
    process.exit(3);
  }
  const { stateDir, socketPath, version } = options;
  endWithTest(options);
  const log = createLog({ file: join(stateDir, "logs", "daemon.log"), level: "debug", now: Date.now });
  const election = await electDaemon({ stateDir, record: { version, socketPath, startedAt: Date.now() } });
  if (!election.won) {
    log.write("info", "stepped back", { pid: process.pid });
    return;
  }
  if (options.startDelayMs) await new Promise((resolve) => setTimeout(resolve, options.startDelayMs));
  endWithTest(options);
  let server: RpcServer | null = null;
  const shutdown = installShutdown({
    steps: [
      { name: "server", run: () => server?.close() },
      { name: "lease", run: () => election.lease.withdraw() },
    ],
    log: log.write,
    onHangup: log.reopen,
    exit: (code) => process.exit(code),
  });
  const idle = createIdleExit({
    idleMs: options.idleMs ?? null,
    isIdle: () => server?.clients() === 0,
    exit: () => void shutdown.stop("idle"),
  });
  server = await startServer({
    socketPath,
    handlers: toyHandlers(options, () => setImmediate(() => void shutdown.stop("asked"))),
    log: log.write,
    onActivity: idle.check,
  });
  election.lease.announce();
  idle.check();
  log.write("info", "started", { pid: process.pid });
}

const RUNNING = "test-is-running";

/** Marks a test's folder; toy daemons end when the mark is gone. */
export function markTest(testDir: string): void {
  writeFileSync(join(testDir, RUNNING), "");
}

/** To be called before the daemons of a test are killed, or one of them takes the place of another. */
export function unmarkTest(testDir: string): void {
  rmSync(join(testDir, RUNNING), { force: true });
}

function endWithTest({ testDir }: ToyOptions): void {
  if (testDir === undefined || existsSync(join(testDir, RUNNING))) return;
  rmSync(testDir, { recursive: true, force: true });
  process.exit(0);
}

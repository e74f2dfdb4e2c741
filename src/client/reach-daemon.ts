import { readFileSync } from "node:fs";
import type { Methods } from "../protocol/rpc.ts";
import { PROTOCOL_VERSION } from "../protocol/rpc.ts";
import { delay } from "../shared/async.ts";
import { AppError, errorCode } from "../shared/error.ts";
import { type Link, type OnNotification, openLink } from "./link.ts";
import { type StartDaemon, type Starting, spawnDaemon } from "./spawn-daemon.ts";

export type DaemonInfo = Methods["initialize"]["result"];

/** Where the daemon is, who asks, and how to start one. */
export type ReachOptions = {
  socketPath: string;
  /** `daemon.json` of the state folder: leads to a daemon that listens elsewhere (another XDG_RUNTIME_DIR). */
  daemonFile?: string;
  /** `version` is the product's; `id` stays the same over reconnects of this process. */
  client: { name: string; version: string; id?: string };
  /** Null: only use a daemon that runs. */
  startDaemon: StartDaemon | null;
  signal?: AbortSignal;
  /** How long a starting daemon may take. */
  startTimeoutMs?: number;
};

/** A link that said `initialize`, and what a person should know about the daemon behind it. */
export type Reached = { link: Link; daemon: DaemonInfo; notice: string | null };

const START_TIMEOUT_MS = 15_000;
const POLL_MS = 5;
/** A daemon that stepped back for another that never came: start again after this. */
const STEPPED_BACK_MS = 1000;

/**
 * Connects, else starts the daemon and connects. A daemon of another version is stopped and replaced when it
 * is idle (and `replace`), used with a notice when it speaks our protocol. AppError `no_daemon`,
 * `daemon_failed`, `daemon_stuck`, `protocol_version`, `unsafe_directory`, `unsafe_socket`, `aborted`.
 */
export async function reachDaemon(
  options: ReachOptions,
  replace: boolean,
  onNotification: OnNotification,
): Promise<Reached> {
  const first = await greet(await find(options, onNotification), options);
  if (first === null) return started(options, onNotification);
  if (isOurs(first.daemon, options)) return used(first, options);
  if (replace && options.startDaemon && (await stopped(first))) return started(options, onNotification);
  return used(first, options);
}

/** The socket we expect, else the one that the running daemon wrote down. */
async function find(options: ReachOptions, onNotification: OnNotification): Promise<Link | null> {
  const link = await openLink(options.socketPath, onNotification);
  if (link !== null || options.daemonFile === undefined) return link;
  const elsewhere = socketOf(options.daemonFile);
  return elsewhere === null || elsewhere === options.socketPath ? null : openLink(elsewhere, onNotification);
}

function socketOf(daemonFile: string): string | null {
  try {
    const { socketPath } = JSON.parse(readFileSync(daemonFile, "utf8")) as { socketPath?: unknown };
    return typeof socketPath === "string" ? socketPath : null;
  } catch {
    return null;
  }
}

/** `daemon` is null when it does not speak our protocol at all. */
type Greeted = { link: Link; daemon: DaemonInfo | null; refusal: AppError | null };

async function greet(link: Link | null, options: ReachOptions): Promise<Greeted | null> {
  if (link === null) return null;
  const tooLong = AbortSignal.timeout(options.startTimeoutMs ?? START_TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, tooLong]) : tooLong;
  try {
    const params = { protocolVersion: PROTOCOL_VERSION, client: options.client };
    return { link, daemon: await link.call("initialize", params, { signal }), refusal: null };
  } catch (error) {
    // It went away between our connect and its answer: as if it had not been there.
    if (errorCode(error) === "connection_lost") return null;
    if (error instanceof AppError && error.code === "protocol_version")
      return { link, daemon: null, refusal: error };
    link.end();
    throw tooLong.aborted ? stuck(options) : error;
  }
}

function stuck({ socketPath, daemonFile }: ReachOptions): AppError {
  const where = daemonFile === undefined ? "" : ` (its pid is in ${daemonFile})`;
  return new AppError(
    "daemon_stuck",
    `the daemon on ${socketPath} does not answer; end it${where} and try again`,
  );
}

function isOurs(daemon: DaemonInfo | null, options: ReachOptions): boolean {
  return daemon?.version === options.client.version && daemon.protocolVersion === PROTOCOL_VERSION;
}

/** Asks a daemon of another version to stop; false when it has work. */
async function stopped({ link, daemon }: Greeted): Promise<boolean> {
  if (daemon?.busy) return false;
  try {
    const { stopping } = await link.call("daemon.stop", {});
    if (!stopping) return false;
  } catch (error) {
    if (errorCode(error) !== "connection_lost") throw error;
  }
  await link.ended;
  return true;
}

function used({ link, daemon, refusal }: Greeted, options: ReachOptions): Reached {
  const ours = options.client.version;
  if (daemon === null || daemon.protocolVersion !== PROTOCOL_VERSION) {
    link.end();
    const theirs = daemon ? `daemon ${daemon.version} (protocol ${daemon.protocolVersion})` : "daemon";
    throw new AppError(
      "protocol_version",
      `the running ${theirs} has work and does not understand this lathe ${ours} (protocol ${PROTOCOL_VERSION}); wait until it is idle or stop it with \`lathe daemon stop --force\``,
      { cause: refusal ?? undefined },
    );
  }
  const notice =
    daemon.version === ours
      ? null
      : `the running daemon is version ${daemon.version}, this is ${ours}; it is replaced once it is idle and lathe starts again`;
  return { link, daemon, notice };
}

async function started(options: ReachOptions, onNotification: OnNotification): Promise<Reached> {
  const { startDaemon, signal } = options;
  if (startDaemon === null) {
    throw new AppError(
      "no_daemon",
      `no daemon listens on ${options.socketPath}; any lathe command starts one`,
    );
  }
  const limit = options.startTimeoutMs ?? START_TIMEOUT_MS;
  const began = performance.now();
  let starting = spawnDaemon(startDaemon);
  let steppedBackAt: number | null = null;
  while (performance.now() - began < limit) {
    if (signal?.aborted) throw new AppError("aborted", "starting the daemon was given up");
    const greeted = await greet(await find(options, onNotification), options);
    if (greeted) return used(greeted, options);
    if (failed(starting, startDaemon)) {
      steppedBackAt ??= performance.now();
      if (performance.now() - steppedBackAt > STEPPED_BACK_MS) {
        starting = spawnDaemon(startDaemon);
        steppedBackAt = null;
      }
    }
    await delay(POLL_MS, signal);
  }
  throw new AppError(
    "daemon_failed",
    `the daemon did not answer on ${options.socketPath} within ${Math.round(limit / 1000)} s; see ${startDaemon.outputFile}`,
  );
}

/** True when it ended for another daemon; throws when it could not start. */
function failed(starting: Starting, startDaemon: StartDaemon): boolean {
  const exit = starting.exit();
  if (exit === null) return false;
  if (exit.failure === null) return true;
  throw new AppError(
    "daemon_failed",
    `the daemon could not start: ${exit.failure} (${startDaemon.outputFile})`,
  );
}

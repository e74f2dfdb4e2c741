import type { MethodName, Methods, Notifications } from "../protocol/rpc.ts";
import { deferred, delay } from "../shared/async.ts";
import { AppError, errorCode } from "../shared/error.ts";
import type { CallOptions, Link, LostReason } from "./link.ts";
import { type DaemonInfo, type Reached, type ReachOptions, reachDaemon } from "./reach-daemon.ts";

export type ReconnectOptions = {
  /** Start a daemon when none is there (default: as `connect` was told). */
  restart?: boolean;
  signal?: AbortSignal;
  /** Gives up after this long (default one minute). */
  giveUpMs?: number;
};

/**
 * A client of the daemon. It outlives connections: listeners stay over a `reconnect`, calls do not (they
 * reject with `connection_lost`; `sendCommand` and `followSession` deal with that).
 */
export type Client = {
  /** The daemon now or last connected to. */
  readonly daemon: DaemonInfo;
  /** What a person should know about the connection, newest last (a daemon of another version). */
  readonly notices: readonly string[];
  readonly connected: boolean;
  /** Rejects with an AppError: the daemon's own code, `connection_lost`, or `aborted`. */
  call<M extends MethodName>(
    method: M,
    params: Methods[M]["params"],
    options?: CallOptions,
  ): Promise<Methods[M]["result"]>;
  /** Calls back for each notification, in order; gives the way to stop. */
  on<N extends keyof Notifications>(method: N, callback: (params: Notifications[N]) => void): () => void;
  /** Calls back whenever the connection ends without `close`. */
  onLost(callback: (reason: LostReason) => void): () => void;
  /** Connects again, with back-off; resolves at once when connected. Several callers share one attempt. */
  reconnect(options?: ReconnectOptions): Promise<void>;
  close(): void;
  /** Resolves after `close`. */
  readonly closed: Promise<void>;
};

/** Connects to the daemon of this user, starting or replacing it as needed; errors as in `reachDaemon`. */
export async function connect(options: ReachOptions): Promise<Client> {
  const client = new PersistentClient(options);
  await client.open();
  return client;
}

const GIVE_UP_MS = 60_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2000;
/** Who told the daemon to stop may be about to start another one: leave it the first word. */
const AFTER_STOP_MS = 3000;
/** Failures that waiting may mend. */
const PASSING = ["no_daemon", "daemon_failed", "connection_lost", "connect"];
const MAX_FAILED_STARTS = 3;

type Listener = (params: Notifications[keyof Notifications]) => void;

class PersistentClient implements Client {
  readonly notices: string[] = [];
  readonly #options: ReachOptions;
  readonly #listeners = new Map<keyof Notifications, Set<Listener>>();
  readonly #lostListeners = new Set<(reason: LostReason) => void>();
  readonly #closed = deferred<void>();
  #reached: Reached | null = null;
  #reconnecting: Promise<void> | null = null;
  readonly #ending = new AbortController();
  #over = false;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  get daemon(): DaemonInfo {
    return this.#need().daemon;
  }

  get connected(): boolean {
    return this.#reached?.link.isOpen() ?? false;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async open(): Promise<void> {
    this.#adopt(await this.#reach(this.#options, true));
  }

  call<M extends MethodName>(
    method: M,
    params: Methods[M]["params"],
    options?: CallOptions,
  ): Promise<Methods[M]["result"]> {
    return this.#need().link.call(method, params, options);
  }

  on<N extends keyof Notifications>(method: N, callback: (params: Notifications[N]) => void): () => void {
    const listeners = this.#listeners.get(method) ?? new Set<Listener>();
    this.#listeners.set(method, listeners);
    const listener: Listener = (params) => callback(params as Notifications[N]);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  onLost(callback: (reason: LostReason) => void): () => void {
    this.#lostListeners.add(callback);
    return () => void this.#lostListeners.delete(callback);
  }

  reconnect(options: ReconnectOptions = {}): Promise<void> {
    if (this.#over) return Promise.reject(closedError());
    if (this.connected) return Promise.resolve();
    return this.#shared(options);
  }

  close(): void {
    this.#over = true;
    this.#ending.abort();
    this.#reached?.link.end();
    this.#closed.resolve();
  }

  /** Joins the attempt under way; when the one who began it gives up, begins it anew. */
  async #shared(options: ReconnectOptions): Promise<void> {
    for (;;) {
      this.#reconnecting ??= this.#reconnect(options).finally(() => {
        this.#reconnecting = null;
      });
      try {
        await unlessAborted(this.#reconnecting, options.signal);
        return;
      } catch (error) {
        if (errorCode(error) !== "aborted" || options.signal?.aborted || this.#over) throw error;
      }
    }
  }

  #need(): Reached {
    if (!this.#reached)
      throw new AppError("internal", "client used before it was open", { audience: "developer" });
    return this.#reached;
  }

  #reach(options: ReachOptions, replace: boolean): Promise<Reached> {
    return reachDaemon(options, replace, (method, params) => {
      for (const listener of this.#listeners.get(method) ?? []) listener(params);
    });
  }

  #adopt(reached: Reached): void {
    if (this.#over) {
      reached.link.end();
      throw closedError();
    }
    this.#reached = reached;
    if (reached.notice !== null) this.notices.push(reached.notice);
    void this.#watch(reached.link);
  }

  async #watch(link: Link): Promise<void> {
    const reason = await link.ended;
    if (this.#over) return;
    for (const callback of [...this.#lostListeners]) callback(reason);
  }

  async #reconnect({ restart = true, giveUpMs = GIVE_UP_MS, ...more }: ReconnectOptions): Promise<void> {
    const signal = more.signal ? AbortSignal.any([more.signal, this.#ending.signal]) : this.#ending.signal;
    const began = performance.now();
    const wasStopped = this.#need().link.reason() === "stopping";
    let wait = FIRST_WAIT_MS;
    let failedStarts = 0;
    for (;;) {
      const elapsed = performance.now() - began;
      const mayStart = restart && (!wasStopped || elapsed > AFTER_STOP_MS);
      const startDaemon = mayStart ? this.#options.startDaemon : null;
      try {
        // Never replaces: two screens of two versions would put each other's daemon out for ever.
        this.#adopt(await this.#reach({ ...this.#options, startDaemon, signal }, false));
        return;
      } catch (error) {
        const code = errorCode(error) ?? "";
        if (code === "daemon_failed") failedStarts += 1;
        const hopeless = !PASSING.includes(code) || failedStarts >= MAX_FAILED_STARTS || elapsed > giveUpMs;
        if (this.#over) throw closedError();
        if (hopeless) throw error;
      }
      await delay(wait, signal);
      if (signal.aborted) throw new AppError("aborted", "reconnecting was given up");
      wait = Math.min(wait * 2, wasStopped ? 100 : LONGEST_WAIT_MS);
    }
  }
}

function closedError(): AppError {
  return new AppError("closed", "this client is closed");
}

/** Settles with the promise, or rejects with `aborted` when the signal comes first. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  const aborted = deferred<never>();
  const onAbort = (): void => aborted.reject(new AppError("aborted", "reconnecting was given up"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

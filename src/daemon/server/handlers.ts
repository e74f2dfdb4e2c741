import type { MethodName, Methods, Notifications } from "../../protocol/rpc.ts";

/** Who is at the other end, as it said in `initialize`. */
export type ClientIdentity = Methods["initialize"]["params"]["client"];

/**
 * One connected client, as handlers see it. Facts and notices are sent in the order of `notify` and never
 * dropped: a client that lags too far is disconnected with `daemon.notice too_slow` and comes back from its
 * last number. Deltas are merged per frame and dropped for a slow client (`daemon.notice deltas_dropped`).
 */
export type Connection = {
  /** Unique within this daemon. */
  readonly id: string;
  readonly client: ClientIdentity;
  /** Aborted when the connection is gone: work that only this client waits for should end then. */
  readonly signal: AbortSignal;
  /**
   * While a `session.open` of this connection is unanswered, facts of that session wait until the answer is
   * out, and a client takes the deltas before the answer for part of its snapshot: so the snapshot's
   * `streaming` must be read last, in the tick in which the handler returns.
   */
  notify<N extends keyof Notifications>(method: N, params: Notifications[N]): void;
  /** Called once when the connection is gone; at once when it is gone already. */
  onClose(callback: () => void): void;
};

/** One function per method; params are checked already. Throws AppError for what a client should read. */
export type Handlers = {
  [M in MethodName]: (params: Methods[M]["params"], connection: Connection) => Promise<Methods[M]["result"]>;
};

/** What the server says about itself while it runs. */
export type ServerLog = (level: "debug" | "info" | "warn" | "error", message: string) => void;

import type { Delta, NumberedFact } from "../protocol/event.ts";
import type { SessionId } from "../protocol/ids.ts";
import type { ClientContext, Methods } from "../protocol/rpc.ts";
import type { SessionSnapshot } from "../protocol/session.ts";
import { deferred } from "../shared/async.ts";
import { AppError, errorCode, errorMessage } from "../shared/error.ts";
import type { Client, ReconnectOptions } from "./client.ts";
import type { LostReason } from "./link.ts";

/** What an open says beside the snapshot and the facts. */
export type OpenedWith = Omit<Methods["session.open"]["result"], "snapshot" | "facts">;

export type FollowOptions = {
  /** Facts after this number are delivered; absent: the newest `history` ones and what follows. */
  afterSeq?: number;
  history?: number;
  /** Sent with every open, so that a daemon that was started anew has the keys again. */
  context?: ClientContext;
  /** Each fact once, in the order of its number, over all reconnects. */
  onFact(fact: NumberedFact): void;
  /** What streams; parts may be missing when the client is slow, then a snapshot follows. */
  onDelta?(delta: Delta): void;
  /** After each open, when all its facts up to `snapshot.seq` are delivered: the state to go on from. */
  onSnapshot?(snapshot: SessionSnapshot, more: OpenedWith): void;
  /** The connection is gone; reconnecting begins. */
  onLost?(reason: LostReason): void;
  /** Connected and subscribed again. */
  onReconnect?(): void;
  reconnect?: Omit<ReconnectOptions, "signal">;
  signal?: AbortSignal;
};

/** A session that is being followed. */
export type Following = {
  /** Number of the last fact delivered. */
  seq(): number;
  /** Ends it: no callback comes after this. Does not close the client. */
  stop(): void;
  /** Null after `stop`; the error when it could not go on (session gone, no daemon to be had). */
  readonly ended: Promise<AppError | null>;
};

const PAGE = 1000;

/**
 * Subscribes to a session and stays subscribed: after a lost connection it reconnects and goes on from the
 * last fact it delivered. Resolves after the first open; rejects when that fails (`not_found`, ...).
 */
export async function followSession(
  client: Client,
  sessionId: SessionId,
  options: FollowOptions,
): Promise<Following> {
  const follower = new Follower(client, sessionId, options);
  try {
    await follower.start();
  } catch (error) {
    follower.finish(null);
    throw error;
  }
  return { seq: () => follower.seq, stop: () => follower.finish(null), ended: follower.ended };
}

class Follower {
  readonly #client: Client;
  readonly #sessionId: SessionId;
  readonly #options: FollowOptions;
  readonly #ended = deferred<AppError | null>();
  readonly #undo: (() => void)[] = [];
  readonly #stopping = new AbortController();
  /** What came while an open or a page was under way, in order. */
  #early: ({ fact: NumberedFact } | { delta: Delta })[] = [];
  #seq: number | null;
  #syncing: Promise<void> | null = null;
  #again = false;
  #over = false;
  #error: AppError | null = null;

  constructor(client: Client, sessionId: SessionId, options: FollowOptions) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#options = options;
    this.#seq = options.afterSeq ?? null;
  }

  get seq(): number {
    return this.#seq ?? 0;
  }

  get ended(): Promise<AppError | null> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    this.#listen();
    this.#syncing = this.#resume();
    await this.#syncing;
    this.#syncing = null;
    if (this.#error) throw this.#error;
    if (this.#again) this.#sync();
  }

  finish(error: AppError | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#stopping.abort();
    for (const undo of this.#undo.splice(0)) undo();
    this.#ended.resolve(error);
  }

  #listen(): void {
    const { signal, onLost, onDelta } = this.#options;
    const ours = (params: { sessionId?: SessionId }): boolean => params.sessionId === this.#sessionId;
    this.#undo.push(
      this.#client.on("session.fact", (params) => {
        if (ours(params)) this.#arrived({ seq: params.seq, at: params.at, fact: params.fact });
      }),
      this.#client.on("session.delta", (params) => {
        if (!ours(params)) return;
        if (this.#syncing === null) onDelta?.(params.delta);
        else this.#early.push({ delta: params.delta });
      }),
      this.#client.on("session.halted", (params) => {
        if (ours(params)) this.finish(new AppError(params.code, params.message));
      }),
      this.#client.on("daemon.notice", (params) => {
        if (params.code === "deltas_dropped" && ours(params)) this.#sync();
      }),
      this.#client.onLost((reason) => {
        onLost?.(reason);
        this.#sync();
      }),
    );
    const onAbort = (): void => this.finish(null);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#undo.push(() => signal?.removeEventListener("abort", onAbort));
  }

  #arrived(fact: NumberedFact): void {
    if (this.#syncing !== null) {
      this.#early.push({ fact });
      return;
    }
    if (this.#seq !== null && fact.seq > this.#seq + 1) {
      // A fact is missing before this one: never show it out of order.
      this.#early.push({ fact });
      this.#sync();
      return;
    }
    this.#deliver(fact);
  }

  #deliver(fact: NumberedFact): void {
    if (this.#over || (this.#seq !== null && fact.seq <= this.#seq)) return;
    this.#seq = fact.seq;
    this.#options.onFact(fact);
  }

  /** Opens again, from the last fact delivered; reconnects first when the connection is gone. */
  #sync(): void {
    if (this.#over) return;
    if (this.#syncing !== null) {
      this.#again = true;
      return;
    }
    this.#syncing = this.#resume().finally(() => {
      this.#syncing = null;
      if (this.#again) this.#sync();
    });
  }

  async #resume(): Promise<void> {
    const signal = this.#stopping.signal;
    while (!this.#over) {
      this.#again = false;
      const lost = !this.#client.connected;
      try {
        if (lost) await this.#client.reconnect({ ...this.#options.reconnect, signal });
        await this.#open();
        if (lost && !this.#over) this.#options.onReconnect?.();
        return;
      } catch (error) {
        if (errorCode(error) === "connection_lost") continue;
        this.finish(
          error instanceof AppError ? error : new AppError("follow", errorMessage(error), { cause: error }),
        );
      }
    }
  }

  async #open(): Promise<void> {
    const { context, history, onSnapshot, onDelta } = this.#options;
    const from = this.#seq === null ? { history } : { afterSeq: this.#seq };
    const answer = await this.#client.call(
      "session.open",
      { sessionId: this.#sessionId, context, deltas: onDelta ? undefined : false, ...from },
      { signal: this.#stopping.signal, onAnswer: () => this.#dropOldDeltas() },
    );
    const first = answer.facts[0];
    if (this.#seq === null) this.#seq = first ? first.seq - 1 : answer.snapshot.seq;
    for (const fact of answer.facts) this.#deliver(fact);
    await this.#catchUp(answer.snapshot.seq);
    if (!this.#over) {
      const { snapshot, facts: _, ...more } = answer;
      onSnapshot?.(snapshot, more);
    }
    await this.#deliverEarly();
  }

  /** Fetches facts until this number is delivered; a daemon may give an open only the first page. */
  async #catchUp(seq: number): Promise<void> {
    while (this.seq < seq && !this.#over) {
      const before = this.seq;
      const params = { sessionId: this.#sessionId, afterSeq: before, limit: PAGE };
      const { facts } = await this.#client.call("session.facts", params, { signal: this.#stopping.signal });
      for (const fact of facts) this.#deliver(fact);
      if (this.seq === before) return;
    }
  }

  /** The snapshot holds what they say. */
  #dropOldDeltas(): void {
    this.#early = this.#early.filter((item) => "fact" in item);
  }

  async #deliverEarly(): Promise<void> {
    for (let item = this.#early.shift(); item && !this.#over; item = this.#early.shift()) {
      if ("delta" in item) {
        this.#options.onDelta?.(item.delta);
        continue;
      }
      if (item.fact.seq > this.seq + 1) await this.#catchUp(item.fact.seq - 1);
      this.#deliver(item.fact);
    }
  }
}

import type { Socket } from "node:net";
import type { Delta } from "../../protocol/event.ts";
import type { Json, SessionId } from "../../protocol/ids.ts";
import {
  type MethodName,
  type Methods,
  type Notifications,
  PROTOCOL_VERSION,
  type RpcResponse,
} from "../../protocol/rpc.ts";
import { errorMessage } from "../../shared/error.ts";
import { createLineSplitter } from "../../shared/line-splitter.ts";
import { answerCall, type Call, type Desk, readCalls } from "./answer.ts";
import { createDeltaFrames, type DeltaFrames } from "./delta-frames.ts";
import type { ClientIdentity, Connection, Handlers, ServerLog } from "./handlers.ts";
import { createOutbox, type Outbox, type OutboxLimits } from "./outbox.ts";
import { failure, RPC_CODE, rpcError } from "./rpc-errors.ts";

/** Everything about connections that tests make smaller. */
export type ConnectionLimits = OutboxLimits & {
  /** Bytes of one message from a client. */
  maxLine: number;
  /** Calls of one client that may be under way; what comes beyond waits, at last in the client. */
  maxCalls: number;
  frameMs: number;
  /** A connection that does not say `initialize` in this time is closed. */
  helloMs: number;
};

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxLine: 64 * 1024 * 1024,
  maxCalls: 128,
  maxLag: 16 * 1024 * 1024,
  deltaLag: 1024 * 1024,
  pauseReading: 4 * 1024 * 1024,
  frameMs: 30,
  helloMs: 10_000,
};

/** How long a client that was told to go may take to read what is left. */
const LAST_WORDS_MS = 5000;

/** May be called before `initialize` and with another protocol version: how versions replace each other. */
const ALWAYS_ALLOWED: readonly MethodName[] = ["initialize", "daemon.stop", "daemon.status"];

type Hold = { opens: number; lines: string[] };

const NO_HOLD = { beforeAnswer: () => undefined, afterAnswer: () => undefined };

/** One client's connection: reads calls, writes answers and notifications. Lives as long as its socket. */
export class ClientConnection implements Connection {
  readonly id: string;
  client: ClientIdentity = { name: "unknown", version: "" };
  readonly #socket: Socket;
  readonly #handlers: Handlers;
  readonly #limits: ConnectionLimits;
  readonly #log: ServerLog;
  readonly #outbox: Outbox;
  readonly #deltas: DeltaFrames;
  readonly #gone = new AbortController();
  readonly #holds = new Map<SessionId, Hold>();
  readonly #dropped = new Set<SessionId>();
  #hello: NodeJS.Timeout | null;
  #helloDone: Promise<unknown> = Promise.resolve();
  #protocol: number | null = null;
  /** Received and not yet looked at, because the client does not take its answers. */
  #lines: string[] = [];
  #calls = 0;
  #leaving = false;

  constructor(id: string, socket: Socket, handlers: Handlers, limits: ConnectionLimits, log: ServerLog) {
    this.id = id;
    this.#socket = socket;
    this.#handlers = handlers;
    this.#limits = limits;
    this.#log = log;
    this.#outbox = createOutbox(socket, () => this.#emptied());
    this.#deltas = createDeltaFrames(limits.frameMs, (sessionId, delta) => this.#sendDelta(sessionId, delta));
    this.#hello = setTimeout(() => socket.destroy(), limits.helloMs);
    this.#hello.unref();
    const splitter = createLineSplitter(limits.maxLine, {
      line: (text) => this.#lines.push(text),
      unreadable: (reason) => this.#send(unreadable(reason, limits.maxLine)),
    });
    socket.on("data", (chunk) => {
      splitter.push(chunk);
      this.#work();
    });
    socket.on("error", (error) => log("debug", `client ${id}: ${error.message}`));
    socket.on("close", () => this.#closed());
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  notify<N extends keyof Notifications>(method: N, params: Notifications[N]): void {
    if (this.#leaving) return;
    const sessionId = params.sessionId;
    if (method === "session.delta" && sessionId !== undefined) {
      this.#deltas.add(sessionId, (params as Notifications["session.delta"]).delta);
      return;
    }
    const line = encode({ jsonrpc: "2.0", method, params });
    const hold = sessionId === undefined ? undefined : this.#holds.get(sessionId);
    if (hold) {
      hold.lines.push(line);
      return;
    }
    if (sessionId !== undefined) this.#deltas.flush(sessionId);
    this.#sendFact(line);
  }

  onClose(callback: () => void): void {
    if (this.signal.aborted) callback();
    else this.signal.addEventListener("abort", callback, { once: true });
  }

  /** Says why, sends what waits and ends; the socket is cut when the client does not read on. */
  leave(code: Notifications["daemon.notice"]["code"]): void {
    if (this.#leaving) return;
    const line = encode({ jsonrpc: "2.0", method: "daemon.notice", params: { code } });
    this.#leaving = true;
    if (code === "too_slow") this.#outbox.endWith(line);
    else {
      this.#outbox.push(line, "notification");
      this.#outbox.end();
    }
    setTimeout(() => this.#socket.destroy(), LAST_WORDS_MS).unref();
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.#socket.destroy();
  }

  /** Takes up lines while there is room for their answers; else reads no more. */
  #work(): void {
    const { maxCalls, pauseReading } = this.#limits;
    let taken = 0;
    while (taken < this.#lines.length && this.#calls < maxCalls && this.#outbox.waiting() <= pauseReading) {
      this.#receive(this.#lines[taken++] as string);
    }
    if (taken > 0) this.#lines = this.#lines.slice(taken);
    if (this.#lines.length > 0) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #receive(text: string): void {
    if (this.#leaving) return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#send(
        failure(
          null,
          rpcError(RPC_CODE.parse, "parse_error", `this line is no JSON: ${errorMessage(error)}`),
        ),
      );
      return;
    }
    const { batch, items } = readCalls(message);
    if (batch) void this.#answerBatch(items);
    else if (items[0]) void this.#answerSingle(items[0]);
  }

  async #answerSingle(item: Call | RpcResponse): Promise<void> {
    const hold = this.#hold(item);
    const response = "method" in item ? await this.#answer(item) : item;
    hold.beforeAnswer();
    if (!("method" in item) || item.id !== undefined) this.#send(response);
    hold.afterAnswer();
  }

  async #answerBatch(items: (Call | RpcResponse)[]): Promise<void> {
    const holds = items.map((item) => this.#hold(item));
    const answered = items.map(async (item) => ("method" in item ? await this.#answer(item) : item));
    const responses = await Promise.all(answered);
    const wanted = responses.filter((_, index) => {
      const item = items[index];
      return item !== undefined && (!("method" in item) || item.id !== undefined);
    });
    for (const hold of holds) hold.beforeAnswer();
    if (wanted.length > 0) this.#send(wanted);
    for (const hold of holds) hold.afterAnswer();
  }

  async #answer(call: Call): Promise<RpcResponse> {
    this.#calls += 1;
    const answering = answerCall(call, this.#desk());
    if (call.method === "initialize") this.#helloDone = answering;
    const response = await answering;
    this.#calls -= 1;
    if (this.#lines.length > 0) queueMicrotask(() => this.#work());
    if (call.method === "initialize" && "error" in response) this.#protocol = null;
    return response;
  }

  #desk(): Desk {
    return {
      connection: this,
      handlers: this.#handlers,
      log: this.#log,
      refusal: async (method) => {
        if (ALWAYS_ALLOWED.includes(method)) return null;
        await this.#helloDone;
        return refusalFor(this.#protocol, method);
      },
      began: (method, params) => {
        if (method === "initialize") this.#greet(params as Methods["initialize"]["params"]);
      },
    };
  }

  #greet(params: Methods["initialize"]["params"]): void {
    this.client = params.client;
    this.#protocol = params.protocolVersion;
    if (this.#hello !== null) clearTimeout(this.#hello);
    this.#hello = null;
  }

  /**
   * Keeps facts of a session back while its `session.open` is unanswered, so that they follow the older ones in
   * the answer. Deltas go out at once: those before the answer are in its snapshot. Gives the release.
   */
  #hold(item: Call | RpcResponse): { beforeAnswer(): void; afterAnswer(): void } {
    const sessionId = "method" in item ? openedSession(item) : null;
    if (sessionId === null) return NO_HOLD;
    const hold = this.#holds.get(sessionId) ?? { opens: 0, lines: [] };
    hold.opens += 1;
    this.#holds.set(sessionId, hold);
    return {
      beforeAnswer: () => this.#deltas.flush(sessionId),
      afterAnswer: () => {
        hold.opens -= 1;
        if (hold.opens > 0) return;
        this.#holds.delete(sessionId);
        for (const line of hold.lines) this.#sendFact(line);
      },
    };
  }

  #send(response: RpcResponse | RpcResponse[]): void {
    if (!this.#leaving) this.#outbox.push(encode(response), "answer");
  }

  #sendFact(line: string): void {
    if (this.#leaving) return;
    if (this.#outbox.lag() > this.#limits.maxLag) {
      this.#log("warn", `client ${this.id} (${this.client.name}) lags too far and is disconnected`);
      this.leave("too_slow");
      return;
    }
    this.#outbox.push(line, "notification");
  }

  #sendDelta(sessionId: SessionId, delta: Delta): void {
    if (this.#leaving) return;
    if (this.#outbox.waiting() > this.#limits.deltaLag) {
      if (delta.type !== "progress") this.#dropped.add(sessionId);
      return;
    }
    this.#outbox.push(
      encode({ jsonrpc: "2.0", method: "session.delta", params: { sessionId, delta } }),
      "notification",
    );
  }

  #emptied(): void {
    const dropped = [...this.#dropped];
    this.#dropped.clear();
    for (const sessionId of dropped) this.notify("daemon.notice", { code: "deltas_dropped", sessionId });
    if (this.#lines.length > 0) this.#work();
  }

  #closed(): void {
    this.#leaving = true;
    this.#deltas.close();
    if (this.#hello !== null) clearTimeout(this.#hello);
    this.#gone.abort();
  }
}

function encode(
  message: RpcResponse | RpcResponse[] | { jsonrpc: "2.0"; method: string; params: unknown },
): string {
  return `${JSON.stringify(message)}\n`;
}

function openedSession(call: Call): SessionId | null {
  if (call.method !== "session.open") return null;
  const params = call.params as { sessionId?: Json } | null | undefined;
  return typeof params?.sessionId === "string" ? params.sessionId : null;
}

function refusalFor(
  protocol: number | null,
  method: string,
): { code: number; name: string; message: string } | null {
  if (protocol === PROTOCOL_VERSION) return null;
  if (protocol === null) {
    const message = `call "initialize" before ${method}: it says which protocol version the client speaks`;
    return { code: RPC_CODE.notInitialized, name: "not_initialized", message };
  }
  const message = `this daemon speaks protocol ${PROTOCOL_VERSION}, the client ${protocol}; stop the daemon (daemon.stop) or use the client of its version`;
  return { code: RPC_CODE.application, name: "protocol_version", message };
}

function unreadable(reason: "too_long" | "not_utf8", maxLine: number): RpcResponse {
  return reason === "too_long"
    ? failure(
        null,
        rpcError(
          RPC_CODE.invalidRequest,
          "message_too_large",
          `a message may have ${maxLine} bytes; this one was skipped`,
        ),
      )
    : failure(null, rpcError(RPC_CODE.parse, "parse_error", "this line is no valid UTF-8"));
}

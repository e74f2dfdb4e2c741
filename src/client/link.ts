import { lstatSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import type { MethodName, Methods, Notifications, RpcError } from "../protocol/rpc.ts";
import { deferred } from "../shared/async.ts";
import { AppError, errorCode } from "../shared/error.ts";
import { createLineSplitter } from "../shared/line-splitter.ts";
import { checkPrivateDirectory, ownedByOther } from "../shared/private-directory.ts";

/** Why a link ended: by us, without a word, or with a notice of the daemon before it. */
export type LostReason = "closed" | "lost" | "stopping" | "too_slow";

export type CallOptions = {
  signal?: AbortSignal;
  /** Called when the answer is here, before any notification that came after it. */
  onAnswer?: () => void;
};

/** One connection to a daemon, from connect to its end. */
export type Link = {
  /** Rejects with the daemon's AppError, `connection_lost` when the link ends first, or `aborted`. */
  call<M extends MethodName>(
    method: M,
    params: Methods[M]["params"],
    options?: CallOptions,
  ): Promise<Methods[M]["result"]>;
  /** False from the moment on in which a call would be refused. */
  isOpen(): boolean;
  /** Why it ended, or would have if it ended now. */
  reason(): LostReason;
  readonly ended: Promise<LostReason>;
  end(): void;
};

/** Receives every notification of a link, in order. */
export type OnNotification = <N extends keyof Notifications>(method: N, params: Notifications[N]) => void;

/** Answers may be large (an export, a blob); a line beyond this ends the link. */
const MAX_LINE = 256 * 1024 * 1024;

/**
 * Connects to a daemon's socket; null when nobody listens there. AppError `unsafe_directory` or
 * `unsafe_socket` when another user could be behind it: keys would go to whoever answers.
 */
export async function openLink(socketPath: string, onNotification: OnNotification): Promise<Link | null> {
  if (!isOurSocket(socketPath)) return null;
  const socket = await dial(socketPath);
  return socket === null ? null : linkOver(socket, onNotification);
}

function isOurSocket(socketPath: string): boolean {
  const found = lstatSync(socketPath, { throwIfNoEntry: false });
  if (!found) return false;
  checkPrivateDirectory(dirname(socketPath));
  if (found.isSocket() && !ownedByOther(found)) return true;
  throw new AppError("unsafe_socket", `${socketPath} is not a socket of this user; remove it and try again`);
}

const NOBODY = ["ENOENT", "ECONNREFUSED", "EAGAIN", "ECONNRESET"];

function dial(socketPath: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error) => {
      if (NOBODY.includes(errorCode(error) ?? "")) resolve(null);
      else
        reject(
          new AppError("connect", `cannot connect to ${socketPath}: ${error.message}`, { cause: error }),
        );
    });
  });
}

type Waiting = { resolve(result: unknown): void; reject(error: AppError): void };

function linkOver(socket: Socket, onNotification: OnNotification): Link {
  const waiting = new Map<number, Waiting>();
  const ended = deferred<LostReason>();
  let reason: LostReason = "lost";
  let over = false;
  let lastId = 0;

  const receive = (text: string): void => {
    const message = JSON.parse(text) as Incoming;
    if (typeof message.method === "string") {
      if (message.method === "daemon.notice") reason = lastWord(message.params) ?? reason;
      onNotification(message.method, message.params as Notifications[keyof Notifications]);
      return;
    }
    const call = typeof message.id === "number" ? waiting.get(message.id) : undefined;
    if (!call || typeof message.id !== "number") return;
    waiting.delete(message.id);
    if (message.error) call.reject(toAppError(message.error));
    else call.resolve(message.result);
  };
  const splitter = createLineSplitter(MAX_LINE, {
    line: receive,
    unreadable: () => socket.destroy(),
  });
  socket.on("data", (chunk) => splitter.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => {
    over = true;
    for (const call of waiting.values()) call.reject(lost());
    waiting.clear();
    ended.resolve(reason);
  });

  const isOpen = (): boolean => !over && !socket.destroyed;

  return {
    isOpen,
    reason: () => reason,
    ended: ended.promise,
    end() {
      reason = "closed";
      socket.end();
      socket.destroySoon();
    },
    call<M extends MethodName>(
      method: M,
      params: Methods[M]["params"],
      { signal, onAnswer }: CallOptions = {},
    ) {
      if (!isOpen()) return Promise.reject(lost());
      if (signal?.aborted) return Promise.reject(aborted(method));
      lastId += 1;
      const id = lastId;
      return new Promise<Methods[M]["result"]>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(id);
          reject(aborted(method));
        };
        const done = (): void => signal?.removeEventListener("abort", onAbort);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.set(id, {
          resolve: (result) => {
            done();
            onAnswer?.();
            resolve(result as Methods[M]["result"]);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        });
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      });
    },
  };
}

/** What a daemon of our own sends; the socket is checked to be this user's. */
type Incoming = {
  id?: number | string | null;
  method?: keyof Notifications;
  params?: unknown;
  result?: unknown;
  error?: RpcError;
};

function lastWord(params: unknown): LostReason | null {
  const { code } = params as Notifications["daemon.notice"];
  return code === "stopping" || code === "too_slow" ? code : null;
}

function toAppError(error: RpcError): AppError {
  const audience = error.data?.audience;
  return new AppError(error.data?.code ?? "rpc", error.message, {
    audience: audience === "model" || audience === "developer" ? audience : "user",
  });
}

function lost(): AppError {
  return new AppError("connection_lost", "the connection to the daemon is lost");
}

function aborted(method: string): AppError {
  return new AppError("aborted", `${method} was given up`);
}

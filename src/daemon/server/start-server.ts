import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { dirname } from "node:path";
import { AppError, errorCode } from "../../shared/error.ts";
import { ensurePrivateDirectory } from "../../shared/private-directory.ts";
import { ClientConnection, CONNECTION_LIMITS, type ConnectionLimits } from "./connection.ts";
import type { Handlers, ServerLog } from "./handlers.ts";

export type ServerOptions = {
  /** Its folder becomes (or must be) this user's alone: 0700; the socket 0600. */
  socketPath: string;
  handlers: Handlers;
  log: ServerLog;
  /** Told after a client came or went, and when a call arrived. */
  onActivity(): void;
  limits?: Partial<ConnectionLimits>;
};

export type RpcServer = {
  /** Number of connected clients. */
  clients(): number;
  /** Takes no new clients, tells those there (`daemon.notice stopping`), removes the socket file. */
  close(): Promise<void>;
};

/** The shortest limit of the systems we run on (macOS), without the closing NUL. */
const MAX_SOCKET_PATH = 103;
const MAX_CLIENTS = 256;
/** What a client that does not read may delay the end of the daemon. */
const CLOSE_MS = 500;

/**
 * Serves the protocol of rpc.ts on a Unix socket. Call it only as the winner of `electDaemon`: a socket file
 * that nobody answers on is replaced. AppError `unsafe_directory`, `socket_path`, `socket_in_use`.
 */
export async function startServer(options: ServerOptions): Promise<RpcServer> {
  const { socketPath, log } = options;
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH) {
    throw new AppError(
      "socket_path",
      `the socket path ${socketPath} is longer than the ${MAX_SOCKET_PATH} bytes that systems allow; set XDG_RUNTIME_DIR to a shorter folder`,
    );
  }
  ensurePrivateDirectory(dirname(socketPath));
  await removeDeadSocket(socketPath);
  const connections = new Set<ClientConnection>();
  const server = createServer({ noDelay: false });
  server.maxConnections = MAX_CLIENTS;
  acceptClients(server, connections, options);
  await listen(server, socketPath);
  server.on("error", (error) => log("error", `server: ${error.message}`));
  return { clients: () => connections.size, close: () => close(server, connections) };
}

function acceptClients(server: Server, connections: Set<ClientConnection>, options: ServerOptions): void {
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  let lastId = 0;
  server.on("connection", (socket) => {
    lastId += 1;
    const connection = new ClientConnection(`c${lastId}`, socket, options.handlers, limits, options.log);
    connections.add(connection);
    socket.on("data", () => options.onActivity());
    connection.onClose(() => {
      connections.delete(connection);
      options.onActivity();
    });
    options.onActivity();
  });
}

/** Binds with a umask that never leaves a moment in which others could connect. */
function listen(server: Server, socketPath: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const before = process.umask(0o177);
    try {
      server.listen({ path: socketPath, backlog: 128 }, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  }).then(() => chmodSync(socketPath, 0o600));
}

async function close(server: Server, connections: Set<ClientConnection>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const connection of connections) connection.leave("stopping");
  const timer = setTimeout(() => {
    for (const connection of connections) connection.cut();
  }, CLOSE_MS);
  await closed;
  clearTimeout(timer);
}

async function removeDeadSocket(socketPath: string): Promise<void> {
  const found = lstatSync(socketPath, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) {
    throw new AppError("socket_path", `${socketPath} is in the way: it is no socket; remove it`);
  }
  if (await answers(socketPath)) {
    throw new AppError(
      "socket_in_use",
      `another daemon, with another state folder, listens on ${socketPath}; stop it or set XDG_RUNTIME_DIR`,
    );
  }
  try {
    unlinkSync(socketPath);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** True when somebody accepts connections there. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => {
      socket.destroy();
      // A full backlog is somebody as well.
      resolve(errorCode(error) === "EAGAIN");
    });
  });
}

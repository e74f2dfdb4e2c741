import { createServer, type Server, type Socket } from "node:net";
import type { CommandPass } from "./command-pass.ts";
import { dial, join } from "./tunnel.ts";

export type SocksGateOptions = {
  passOf(token: string): CommandPass | null;
  /** The name that a synthetic address stands for; `null` when the address is none of ours. */
  syntheticName(address: string): string | null;
};

/** Codes of RFC 1928. */
const REPLY = { ok: 0, notAllowed: 2, unreachable: 4, command: 7, addressType: 8 } as const;

const HANDSHAKE_TIMEOUT_MS = 60_000;

/** A SOCKS5 proxy: CONNECT only, to names only (or addresses that our resolver made up for names). */
export function createSocksGate(options: SocksGateOptions): Server {
  return createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.setTimeout(HANDSHAKE_TIMEOUT_MS, () => socket.destroy());
    serve(socket, options).catch(() => socket.destroy());
  });
}

async function serve(socket: Socket, options: SocksGateOptions): Promise<void> {
  const read = reader(socket);
  const [version = 0, methodCount = 0] = await read(2);
  if (version !== 5) return void socket.destroy();
  const methods = await read(methodCount);
  if (!methods.includes(2)) return void socket.end(Buffer.from([5, 0xff]));
  socket.write(Buffer.from([5, 2]));
  const pass = await authenticate(read, options);
  socket.write(Buffer.from([1, pass === null ? 1 : 0]));
  if (pass === null) return void socket.end();
  pass.hold(socket);
  const target = await readTarget(read, options);
  if (typeof target === "number") return void socket.end(reply(target));
  const verdict = await pass.decide(target.host, target.port);
  if (!verdict.allow) return void socket.end(reply(verdict.denied ? REPLY.notAllowed : REPLY.unreachable));
  const upstream = await dial(verdict.addresses, target.port).catch(() => null);
  if (upstream === null) return void socket.end(reply(REPLY.unreachable));
  pass.hold(upstream);
  if (socket.destroyed) return void upstream.destroy();
  socket.setTimeout(0);
  socket.write(reply(REPLY.ok));
  const rest = read.rest();
  if (rest.length > 0) upstream.write(rest);
  join(socket, upstream);
}

/** User name and password (RFC 1929); only the password counts. */
async function authenticate(read: Reader, options: SocksGateOptions): Promise<CommandPass | null> {
  const [, nameLength = 0] = await read(2);
  await read(nameLength);
  const [passwordLength = 0] = await read(1);
  const password = await read(passwordLength);
  return options.passOf(password.toString("latin1"));
}

async function readTarget(
  read: Reader,
  options: SocksGateOptions,
): Promise<{ host: string; port: number } | number> {
  const [, command, , kind] = await read(4);
  if (command !== 1) return REPLY.command;
  let host: string | null = null;
  if (kind === 3) {
    const [length = 0] = await read(1);
    const name = (await read(length)).toString("latin1");
    host = options.syntheticName(name) ?? name;
  } else if (kind === 1) host = options.syntheticName([...(await read(4))].join("."));
  if (host === null) return REPLY.addressType;
  return { host, port: (await read(2)).readUInt16BE(0) };
}

const reply = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);

type Reader = { (bytes: number): Promise<Buffer>; rest(): Buffer };

/** Reads exact numbers of bytes; rejects when the stream ends before. `rest` stops it and gives what is left. */
function reader(socket: Socket): Reader {
  let buffer = Buffer.alloc(0);
  let wake: (() => void) | null = null;
  let over = false;
  const onData = (chunk: Buffer): void => {
    buffer = Buffer.concat([buffer, chunk]);
    wake?.();
  };
  const onClose = (): void => {
    over = true;
    wake?.();
  };
  socket.on("data", onData);
  socket.on("end", onClose);
  socket.on("close", onClose);
  const read = async (bytes: number): Promise<Buffer> => {
    while (buffer.length < bytes) {
      if (over) throw new Error("the connection ended");
      await new Promise<void>((next) => {
        wake = next;
      });
    }
    const taken = buffer.subarray(0, bytes);
    buffer = buffer.subarray(bytes);
    return taken;
  };
  const rest = (): Buffer => {
    socket.off("data", onData);
    return buffer;
  };
  return Object.assign(read, { rest });
}

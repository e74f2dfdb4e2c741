import { connect, type Socket } from "node:net";

const DIAL_TIMEOUT_MS = 20_000;

/** Connects to the first of the addresses that answers; rejects with the last error. */
export async function dial(addresses: readonly string[], port: number): Promise<Socket> {
  let last: unknown = new Error("there is no address");
  for (const address of addresses) {
    try {
      return await dialOne(address, port);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function dialOne(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(DIAL_TIMEOUT_MS, () => socket.destroy(new Error(`no answer from ${host}:${port}`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Joins two sockets until both have ended; an error of one ends the other. */
export function join(one: Socket, other: Socket): void {
  one.on("error", () => other.destroy());
  other.on("error", () => one.destroy());
  one.on("close", () => other.destroy());
  other.on("close", () => one.destroy());
  one.pipe(other);
  other.pipe(one);
}

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import type { Server } from "node:net";
import { type Deferred, deferred } from "../../shared/async.ts";

/** Makes listening sockets inside a namespace and hands them to this process, which then serves them itself. */
export type SocketMaker = {
  tcp(host: string, port: number): Promise<Server>;
  udp(host: string, port: number): Promise<DatagramSocket>;
  close(): void;
};

/**
 * The program that runs inside: it knows nothing and stays for moments. The loopback interface may not be up
 * yet when it starts, so it tries again for a while.
 */
const PROGRAM = `
const net = require("node:net"), dgram = require("node:dgram");
const open = ({ kind, host, port }) => new Promise((yes, no) => {
  const one = kind === "tcp" ? net.createServer() : dgram.createSocket("udp4");
  one.once("error", no);
  if (kind === "tcp") one.listen({ host, port, backlog: 128 }, () => yes(one));
  else one.bind({ address: host, port }, () => yes(one));
});
const openSoon = async (order) => {
  for (let tries = 0; ; tries++) {
    try { return await open(order); } catch (error) {
      if (tries > 100 || error.code === "EADDRINUSE") throw error;
      await new Promise((next) => setTimeout(next, 10));
    }
  }
};
process.on("message", async (order) => {
  try {
    const one = await openSoon(order);
    process.send({ id: order.id, made: true }, one, () => one.close(() => process.send({ id: order.id, done: true })));
  } catch (error) { process.send({ id: order.id, failed: String(error.message) }); }
});
process.on("disconnect", () => process.exit(0));
`;

type Order = { made: unknown; result: Deferred<unknown> };
type Reply = { id: number; made?: true; done?: true; failed?: string };

/** `enter` are the words that run a program in the namespace. */
export function startSocketMaker(enter: readonly string[], node: string): SocketMaker {
  const [file = node, ...words] = [...enter, node, "-e", PROGRAM];
  const child: ChildProcess = spawn(file, words, {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const orders = new Map<number, Order>();
  let count = 0;
  const failAll = (reason: string): void => {
    for (const order of orders.values()) order.result.reject(new Error(reason));
    orders.clear();
  };
  child.on("error", (error) => failAll(error.message));
  child.on("exit", () => failAll("the helper that makes sockets ended"));
  child.on("message", (message, handle) => {
    const reply = message as Reply;
    const order = orders.get(reply.id);
    if (!order) return;
    if (reply.made) order.made = handle;
    if (reply.failed === undefined && !reply.done) return;
    orders.delete(reply.id);
    if (reply.failed === undefined) order.result.resolve(order.made);
    else order.result.reject(new Error(reply.failed));
  });
  const order = (kind: "tcp" | "udp", host: string, port: number): Promise<unknown> => {
    const id = ++count;
    const result = deferred<unknown>();
    orders.set(id, { made: null, result });
    child.send({ id, kind, host, port }, (error) => error && result.reject(error));
    return result.promise;
  };
  return {
    tcp: (host, port) => order("tcp", host, port) as Promise<Server>,
    udp: (host, port) => order("udp", host, port) as Promise<DatagramSocket>,
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

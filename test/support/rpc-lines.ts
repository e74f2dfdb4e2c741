import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Lab } from "./lab.ts";

type Params = Record<string, unknown>;

/** The protocol by hand, as any script could speak it: JSON-RPC lines over the daemon's socket. */
export type Wire = {
  call<T = unknown>(method: string, params?: object): Promise<T>;
  /** The next notification of a kind that fits. */
  next(method: string, fits: (params: Params) => boolean): Promise<Params>;
  end(): void;
};

/** Connects to the lab's daemon, which must run, and says hello. */
export async function openWire(lab: Lab): Promise<Wire> {
  const socket = connect(join(lab.tmp, "lathe", "daemon.sock"));
  const answers = new Map<number, (message: { result?: unknown; error?: { message: string } }) => void>();
  const waiting = new Set<(method: string, params: Params) => void>();
  createInterface({ input: socket }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method) for (const look of [...waiting]) look(message.method, message.params);
    else answers.get(message.id)?.(message);
  });
  let last = 0;
  const wire: Wire = {
    call: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        answers.set(id, ({ result, error }) =>
          error ? reject(new Error(error.message)) : resolve(result as never),
        );
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
    next: (method, fits) =>
      new Promise((found) => {
        const look = (name: string, params: Params): void => {
          if (name !== method || !fits(params)) return;
          waiting.delete(look);
          found(params);
        };
        waiting.add(look);
      }),
    end: () => socket.destroy(),
  };
  await wire.call("initialize", { protocolVersion: 1, client: { name: "by hand", version: "0" } });
  return wire;
}

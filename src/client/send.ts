import type { MethodName, Methods } from "../protocol/rpc.ts";
import { errorCode } from "../shared/error.ts";
import type { Client, ReconnectOptions } from "./client.ts";

/** Methods that carry a `commandId`: the daemon carries out each id once and answers a repeat. */
export type CommandMethod = {
  [M in MethodName]: Methods[M]["params"] extends { commandId: string } ? M : never;
}[MethodName];

const MAX_TRIES = 5;

/**
 * Sends a command until it is acknowledged: when the connection dies first, reconnects (starting the daemon
 * if need be) and sends the same command id again. Rejects as `call` and `reconnect` do.
 */
export async function sendCommand<M extends CommandMethod>(
  client: Client,
  method: M,
  params: Methods[M]["params"],
  options: ReconnectOptions = {},
): Promise<Methods[M]["result"]> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!client.connected) await client.reconnect(options);
      return await client.call(method, params, { signal: options.signal });
    } catch (error) {
      if (errorCode(error) !== "connection_lost" || attempt >= MAX_TRIES) throw error;
    }
  }
}

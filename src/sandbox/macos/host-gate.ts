import type { AddressInfo, Server } from "node:net";
import type { CommandPass } from "../proxy/command-pass.ts";
import { createHttpGate } from "../proxy/http-gate.ts";
import { createSocksGate } from "../proxy/socks-gate.ts";

/** The gate on this machine's loopback, for systems without network namespaces; only passes open it. */
export type HostGate = {
  httpPort: number;
  socksPort: number;
  add(pass: CommandPass): void;
  remove(pass: CommandPass): void;
  close(): void;
};

export async function openHostGate(): Promise<HostGate> {
  const passes = new Map<string, CommandPass>();
  const passOf = (token: string): CommandPass | null => passes.get(token) ?? null;
  const http = createHttpGate({ passOf, nameOf: (host) => host });
  const socks = createSocksGate({ passOf, syntheticName: () => null });
  const [httpPort, socksPort] = await Promise.all([listen(http), listen(socks)]);
  return {
    httpPort,
    socksPort,
    add: (pass) => passes.set(pass.token, pass),
    remove: (pass) => passes.delete(pass.token),
    close() {
      http.close();
      http.closeAllConnections();
      socks.close();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      server.unref();
      resolve((server.address() as AddressInfo).port);
    });
  });
}

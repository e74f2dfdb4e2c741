import { lookup } from "node:dns/promises";

/** Resolves a name to addresses; rejects when there are none. */
export type HostResolver = {
  resolve(host: string): Promise<string[]>;
  /** Addresses that may be dialled though they are private. For tests only. */
  exempt?: readonly string[];
};

/** The resolver of the machine. */
export function systemResolver(): HostResolver {
  return { resolve: async (host) => (await lookup(host, { all: true })).map((one) => one.address) };
}

import type { Readable, Writable } from "node:stream";
import type { Client } from "../client/client.ts";
import type { LathePaths } from "../config/paths.ts";

/** What a command of the CLI may use of the process it runs in; tests hand in their own. */
export type CliHost = {
  version: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string | undefined>;
  paths: LathePaths;
  stdin: Readable & { isTTY?: boolean; fd?: number };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  now(): number;
  newId(): string;
  /** How this program was called, for hints: `lathe`, or `node PATH` where it is not on the PATH. */
  command: string;
  /** Connects to the daemon, starting it when there is none. */
  connect(options?: { start: boolean }): Promise<Client>;
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP", callback: () => void): () => void;
};

/** Writes a line to standard output. */
export function print(host: CliHost, text: string): void {
  host.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** Writes a line for people to standard error. */
export function say(host: CliHost, text: string): void {
  host.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
}

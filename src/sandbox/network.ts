import type { SandboxDenial, SpawnSpec } from "../protocol/ports.ts";

/** How one command is connected: what bubblewrap is started through, and what the command gets to know. */
export type Attachment = {
  /** Program words that enter the session's network; empty: a network of its own, with nothing in it. */
  enter: readonly string[];
  env: Record<string, string>;
  files: readonly { path: string; bytes: Uint8Array }[];
  /** Told the process of the command once it runs. */
  started(pid: number): void;
  /** Ends the command's right to use the gate; gives what was refused. */
  detach(): SandboxDenial[];
};

/** Connects commands to the gate of their session. */
export type Network = {
  attach(spec: SpawnSpec): Promise<Attachment>;
  release(sessionId: string): Promise<void>;
};

/** A command without network. */
export const NOT_CONNECTED: Attachment = {
  enter: [],
  env: {},
  files: [],
  started: () => undefined,
  detach: () => [],
};

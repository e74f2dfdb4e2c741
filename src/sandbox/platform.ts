import type { CommandResult, Result, SandboxState, SpawnSpec } from "../protocol/ports.ts";
import type { GateDecision } from "./proxy/decide.ts";
import type { HostResolver } from "./proxy/resolve.ts";

export type SandboxOptions = {
  /** lathe's own state: covers, quarantine and sockets of the gate are kept below it. */
  stateDir: string;
  /** Parent of the sessions' temp folders. */
  tmpRoot: string;
  home: string;
  now(): number;
  newId(): string;
  /** Folders in which bubblewrap and its helpers are looked for; never a folder that commands can write. */
  programFolders?: readonly string[];
  /** `process.platform` and `process.arch` of another machine, for tests. */
  platform?: NodeJS.Platform;
  machine?: string;
  /** Who resolves names for the gate; the system's resolver by default. */
  resolver?: HostResolver;
  /** Told every decision of the gate, also the silent ones. */
  onNetworkDecision?: (decision: GateDecision) => void;
};

/** What one platform brings. */
export type PlatformSandbox = {
  probe(): Promise<SandboxState>;
  run(spec: SpawnSpec): Promise<Result<CommandResult>>;
  release(sessionId: string): Promise<void>;
};

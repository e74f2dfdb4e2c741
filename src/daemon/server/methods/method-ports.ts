import type { Clock, IdSource } from "../../../protocol/ports.ts";
import type { Hub } from "../../sessions/hub.ts";
import type { HubPorts } from "../../sessions/hub-ports.ts";
import type { Lend } from "../../sessions/lend.ts";
import type { SessionRuntime } from "../../sessions/session-runtime.ts";

/** What the methods may use of the daemon. */
export type MethodPorts = HubPorts & {
  hub: Hub;
  clock: Clock;
  ids: IdSource;
  artifactsRoot: string;
  version: string;
  startedAt: number;
  logFile: string;
  stateDir: string;
  /** Reads config again when its files changed; an invalid file keeps the last good one and adds a notice. */
  refreshSettings(runtime: SessionRuntime): Promise<void>;
  /** The full id of a model a client names; AppError `no_model`. */
  modelId(requested: string, runtime: SessionRuntime): string;
  trust: { isTrusted(path: string): boolean; set(path: string, trusted: boolean): Promise<string> };
  /** Keys that no log line may hold. */
  hideSecrets(secrets: readonly string[]): void;
  lend: Lend;
  /** Number of connected clients. */
  clients(): number;
  /** Begins an orderly stop. */
  stop(): void;
};

import type { Delta } from "../../protocol/event.ts";
import type { SessionId } from "../../protocol/ids.ts";
import type { ModelPort } from "../../protocol/model-port.ts";
import type { Grant } from "../../protocol/permission.ts";
import type { Clock, IdSource, SandboxPort } from "../../protocol/ports.ts";
import type { Store } from "../../protocol/store-port.ts";
import type { Transcripts } from "../ports/transcripts.ts";

/** What effects may use of the daemon. */
export type EffectPorts = {
  store: Store;
  model: ModelPort;
  sandbox: SandboxPort;
  clock: Clock;
  ids: IdSource;
  /** Sends a delta to whoever watches the session; may be dropped. */
  delta(sessionId: SessionId, delta: Delta): void;
  transcripts: Transcripts;
  /** Writes a lasting grant to the user's config, or to the user's rules for the project at `cwd`. */
  saveRule(grant: Grant, cwd: string): Promise<void>;
  log(level: "info" | "warning" | "error", text: string): void;
  /** Facts of the machine for the system prompt. */
  host: {
    platform: string;
    release: string;
    hostName: string;
    nodeVersion: string;
    home: string;
    configDir: string;
    /** The administrator's folder. */
    managedDir: string;
  };
  ripgrep: string | null;
};

import type { SessionOptions } from "../../protocol/session.ts";
import type { EffectPorts } from "../effects/effect-ports.ts";
import type { Presence } from "./presence.ts";
import type { SessionSettings } from "./session-runtime.ts";
import type { Watchers } from "./watchers.ts";

/** What the hub needs beyond the effects' ports. */
export type HubPorts = {
  effects: EffectPorts;
  watchers: Watchers;
  presence: Presence;
  loadSettings(
    cwd: string,
    options: SessionOptions,
    environment: Record<string, string>,
  ): Promise<SessionSettings>;
  folders: {
    tmpRoot: string;
    home: string;
    privateDirs: string[];
    /** Where it is kept what sessions have read. */
    ledgers: string;
  };
  /** Told whenever a session begins or ends to work. */
  activity(): void;
};

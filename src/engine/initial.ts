import type { SessionId } from "../protocol/ids.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { EngineState } from "./state.ts";
import { ZERO_USAGE } from "./usage.ts";

/** The state of a new session: idle, with nothing said yet. */
export function initialState(start: {
  sessionId: SessionId;
  model: string;
  mode: PermissionMode;
}): EngineState {
  return {
    ...start,
    head: null,
    phase: { type: "idle" },
    turn: null,
    calls: [],
    approvals: [],
    interrupting: null,
    queue: [],
    usage: ZERO_USAGE,
    recentCommands: [],
  };
}

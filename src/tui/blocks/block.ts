import type { Approval } from "../../protocol/permission.ts";
import type { SandboxState } from "../../protocol/ports.ts";
import type { CallRecord, Outcome } from "../../protocol/session.ts";
import type { Part } from "../markdown/stream.ts";

export type DoneCall = Extract<CallRecord, { status: "done" }>;

/** Something finished, to be written once into the terminal's own scrollback. */
export type Block =
  | {
      type: "welcome";
      version: string;
      cwd: string;
      model: string;
      mode: string;
      sandbox: SandboxState;
      sessionId: string;
      resumed: boolean;
    }
  | { type: "prompt"; text: string }
  | { type: "part"; part: Part }
  | { type: "thinking"; text: string }
  | { type: "call"; number: number; call: DoneCall }
  | { type: "answered"; approval: Approval }
  | { type: "notice"; level: "info" | "warning" | "error"; text: string }
  | { type: "text"; title: string; text: string }
  | { type: "turn_end"; outcome: Outcome; facts: string };

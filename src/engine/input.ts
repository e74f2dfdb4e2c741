import type { CallId, CommandId, EffectId, MessageId, Millis } from "../protocol/ids.ts";
import type { ContentBlock, Message, StopReason, ToolResultBlock, Usage } from "../protocol/message.ts";
import type { Approval, ApprovalAnswer, AuditRow, Grant, PermissionMode } from "../protocol/permission.ts";
import type { FailureInfo } from "../protocol/session.ts";
import type { InterruptBy, TurnSettings } from "./state.ts";

/** Everything from outside that one transition may use besides state and input. */
export type Envelope = {
  now: Millis;
  /** Fresh UUIDv7s, in order; the transition takes from the front. Never more than 8 + 3 per call are used. */
  ids: readonly string[];
  /** 0 <= random < 1, for jitter. */
  random: number;
};

/** What prepare-tools found for one call. */
export type PreparedCall =
  /** `changes`: running it may change something outside, so its start must survive a power cut. */
  | { callId: CallId; type: "run"; audit: AuditRow; changes?: boolean }
  | { callId: CallId; type: "ask"; approval: Approval; audit: AuditRow }
  /** Unknown tool, bad arguments, denied: the result is already there. */
  | { callId: CallId; type: "answered"; result: ToolResultBlock; audit: AuditRow; denied: boolean };

export type Input =
  | {
      type: "prompt";
      commandId: CommandId;
      /** A fresh UUIDv7: names the prompt while it waits, then its message, and the run that it starts. */
      promptId: string;
      content: ContentBlock[];
      delivery: "steer" | "queue";
      settings: TurnSettings;
    }
  | { type: "unqueue"; commandId: CommandId; promptId: string }
  | { type: "interrupt"; commandId: CommandId | null; by: InterruptBy }
  | {
      type: "approval_answered";
      commandId: CommandId;
      approval: Approval;
      answer: ApprovalAnswer;
      by: string;
      /** Made by the daemon for `task` and `everywhere`. */
      grants: Grant[];
      audit: AuditRow;
    }
  | {
      type: "model_finished";
      effectId: EffectId;
      content: ContentBlock[];
      stopReason: StopReason;
      usage: Usage;
      model: string;
      note?: string;
    }
  | {
      type: "model_failed";
      effectId: EffectId;
      error: FailureInfo;
      retryable: boolean;
      retryAfterMs: number | null;
      partial: ContentBlock[];
      usage: Usage;
      model: string;
      /** Pictures of the request that the vendor's refusal is about; asked again without them. */
      refusedImages?: readonly string[];
    }
  /** No credentials for the model: the turn parks. */
  | { type: "model_unreachable"; effectId: EffectId; missing: string }
  /** The conversation has passed its budget, so the model was not asked; `estimate` is its size in tokens. */
  | { type: "context_full"; effectId: EffectId; estimate: number }
  | { type: "tools_prepared"; effectId: EffectId; calls: PreparedCall[] }
  | {
      type: "tool_finished";
      callId: CallId;
      effectId: EffectId;
      result: ToolResultBlock;
      denied: boolean;
      facts: ToolFact[];
    }
  /** A running call needs an answer before it can go on (escalation, domain, question). */
  | { type: "tool_asks"; callId: CallId; effectId: EffectId; approval: Approval }
  | { type: "timer_fired"; effectId: EffectId }
  | {
      type: "compaction_finished";
      effectId: EffectId;
      /** What the head moves to: a message of kind `summary` below the old head. Null: nothing was done. */
      summary: Message | null;
      /** Estimated tokens of the conversation as it is now. */
      estimate: number;
      usage: Usage;
      model: string;
      warning: string | null;
    }
  | { type: "compact_requested"; commandId: CommandId; focus: string | null }
  | { type: "settings_changed"; commandId: CommandId; model?: string; mode?: PermissionMode; title?: string }
  | { type: "cleared"; commandId: CommandId }
  | { type: "head_moved"; commandId: CommandId; head: MessageId | null }
  /** Something the user should see in the transcript; changes nothing else. */
  | { type: "noticed"; level: "info" | "warning" | "error"; code: string; text: string }
  /** The user called for a skill by its name. */
  | { type: "skill_loaded"; name: string; folder: string }
  | { type: "client_arrived" }
  /** First input after a daemon start: whatever ran is gone. */
  | { type: "recovered" };

/** Facts that a tool run adds of its own. A wish is no fact: what comes of it is. */
export type ToolFact =
  | Extract<
      import("../protocol/event.ts").Fact,
      { type: "file_changed" | "notice" | "decision_recorded" | "todos_changed" | "skill_loaded" }
    >
  | { type: "compaction_wished"; focus: string | null };

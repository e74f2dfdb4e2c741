import type { CallId, EffectId, Millis, RunId, SessionId } from "./ids.ts";
import type { Message, Usage } from "./message.ts";
import type { Approval, AuditRow, Grant, PermissionMode } from "./permission.ts";
import type { TodoItem } from "./plans.ts";
import type {
  CallRecord,
  DenialInfo,
  FailureInfo,
  LimitKind,
  Outcome,
  PhaseName,
  QueuedPrompt,
  SessionInfo,
} from "./session.ts";

/** A fact: stored, numbered per session by the commit, never dropped. */
export type Fact =
  | { type: "session_created"; session: SessionInfo }
  | {
      type: "session_changed";
      title?: string;
      model?: string;
      mode?: PermissionMode;
      cwd?: string;
      roots?: string[];
    }
  | { type: "session_cleared" }
  | { type: "turn_started"; runId: RunId; cause: "prompt" | "wake_up"; interactive: boolean }
  | { type: "message_added"; message: Message }
  | { type: "prompt_queued"; prompt: QueuedPrompt }
  | { type: "prompt_dequeued"; promptId: string; reason: "delivered" | "removed" }
  | { type: "phase_changed"; phase: PhaseName; step: number; effectId: EffectId | null }
  | { type: "call_changed"; runId: RunId; call: CallRecord }
  | { type: "approval_requested"; approval: Approval }
  | { type: "approval_resolved"; approval: Approval }
  | { type: "decision_recorded"; audit: AuditRow }
  | { type: "grant_added"; grant: Grant }
  | { type: "retry_scheduled"; attempt: number; at: Millis; error: FailureInfo }
  | { type: "limit_reached"; limit: LimitKind; message: string }
  | { type: "usage_added"; model: string; purpose: "step" | "wrap_up" | "compaction"; usage: Usage }
  | { type: "file_changed"; change: FileChangeRow }
  /** The session's checklist, whole. */
  | { type: "todos_changed"; items: TodoItem[] }
  /** A skill was loaded: the files of its folder can be read from now on. */
  | { type: "skill_loaded"; name: string; folder: string }
  | { type: "notice"; level: "info" | "warning" | "error"; code: string; text: string }
  | {
      type: "turn_finished";
      runId: RunId;
      outcome: Outcome;
      /** The last text of the model, as the result of the turn. */
      text: string;
      steps: number;
      toolCalls: number;
      durationMs: number;
      /** Time spent in model calls. */
      apiMs: number;
      usage: Usage;
      denials: DenialInfo[];
    };

/** Bytes from before and after a change of one file by a tool; what an undo needs. */
export type FileChangeRow = {
  sessionId: SessionId;
  runId: RunId;
  callId: CallId;
  path: string;
  /** Blob hashes; `null` = the file did not exist. */
  before: string | null;
  after: string | null;
  mode: number | null;
  at: Millis;
};

/** A fact as stored and sent. */
export type NumberedFact = { seq: number; at: Millis; fact: Fact };

/** A delta: broadcast only, merged per frame, may be dropped for a slow client. */
export type Delta =
  | { type: "text"; effectId: EffectId; text: string }
  | { type: "thinking"; effectId: EffectId; text: string }
  | { type: "tool_call"; effectId: EffectId; index: number; name: string; chars: number }
  | { type: "progress"; callId: CallId; text: string }
  | { type: "restarted"; effectId: EffectId };

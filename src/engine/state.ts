import type { CommandId, EffectId, MessageId, Millis, RunId, SessionId } from "../protocol/ids.ts";
import type { ContentBlock, Usage } from "../protocol/message.ts";
import type { Approval, PermissionMode } from "../protocol/permission.ts";
import type {
  CallRecord,
  DenialInfo,
  FailureInfo,
  LimitKind,
  Limits,
  PhaseName,
  QueuedPrompt,
} from "../protocol/session.ts";

/** What the engine does now. An effect id in a phase names the only answer it accepts. */
export type Phase =
  | { type: "idle" }
  | { type: "calling_model"; effectId: EffectId; attempt: number; startedAt: Millis }
  | { type: "preparing_tools"; effectId: EffectId }
  | { type: "running_tools" }
  | { type: "compacting"; effectId: EffectId; next: "call_model" | "idle" }
  | {
      type: "waiting_retry";
      effectId: EffectId;
      until: Millis;
      attempt: number;
      error: FailureInfo;
      wrappingUp: boolean;
    }
  /** The last, tool-less model call of a turn whose limit is spent. */
  | { type: "wrapping_up"; effectId: EffectId; attempt: number; startedAt: Millis; limit: LimitKind }
  /** Parked until a client brings what is missing (a key); then the model is called. */
  | { type: "needs_client"; missing: string };

export type PhaseType = Phase["type"] & PhaseName;

/** A prompt that waits, with its whole content. */
export type WaitingPrompt = QueuedPrompt & { content: ContentBlock[]; settings: TurnSettings };

/** What a prompt asks of its turn. */
export type TurnSettings = {
  interactive: boolean;
  /** The client whose vanishing interrupts the turn; null = nobody's. */
  boundTo: string | null;
  limits: Limits;
};

/** The running turn. */
export type Turn = {
  runId: RunId;
  startedAt: Millis;
  settings: TurnSettings;
  /** Model calls that ended with a message. */
  steps: number;
  toolCalls: number;
  usage: Usage;
  apiMs: number;
  /** The last text of the model. */
  lastText: string;
  denials: DenialInfo[];
  /** Consecutive steps in which every call was denied. */
  deniedSteps: number;
  /** Consecutive empty replies, broken streams after output, and `max_tokens` continuations. */
  emptyReplies: number;
  cuts: number;
  /** Set when a limit was passed: the batch in hand is finished, then the turn wraps up. */
  limit: LimitKind | null;
};

export type EngineState = {
  sessionId: SessionId;
  head: MessageId | null;
  model: string;
  mode: PermissionMode;
  phase: Phase;
  turn: Turn | null;
  /** Calls of the step in hand, in the order of the reply; answered in that order. */
  calls: CallRecord[];
  /** Open questions about calls of this step, whole, so that they can be closed without looking them up. */
  approvals: Approval[];
  /** Set while running effects are being cancelled for an interrupt. */
  interrupting: { by: "user" | "client_gone" | "shutdown" | "terminated"; at: Millis } | null;
  queue: WaitingPrompt[];
  usage: Usage;
  /** Commands lately carried out, newest last (bounded): a repeat changes nothing. */
  recentCommands: CommandId[];
};

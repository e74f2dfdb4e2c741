import type { CommandId, EffectId, MessageId, Millis, RunId, SessionId } from "../protocol/ids.ts";
import type { ContentBlock, Usage } from "../protocol/message.ts";
import type { Approval, PermissionMode } from "../protocol/permission.ts";
import type { TodoItem } from "../protocol/plans.ts";
import type {
  CallRecord,
  DenialInfo,
  FailureInfo,
  LimitKind,
  Limits,
  QueuedPrompt,
} from "../protocol/session.ts";

/** What the engine does now. An effect id in a phase names the only answer it accepts. */
export type Phase =
  | { type: "idle" }
  | ({ type: "calling_model"; startedAt: Millis } & Attempt)
  | { type: "preparing_tools"; effectId: EffectId }
  | { type: "running_tools" }
  | ({ type: "compacting"; effectId: EffectId; next: "call_model" | "idle" } & CompactionWish)
  | ({ type: "waiting_retry"; until: Millis; error: FailureInfo; wrappingUp: boolean } & Attempt)
  /** The last, tool-less model call of a turn whose limit is spent. */
  | ({ type: "wrapping_up"; startedAt: Millis; limit: LimitKind } & Attempt)
  /** Parked until a client brings what is missing (a key); then the model is called. */
  | { type: "needs_client"; missing: string };

/**
 * Why a conversation is made shorter: the user asks, it passed its budget, the model refused it as too long, or the
 * window was full in mid-answer. `attempt` counts from 1 since the model's last good answer: later ones cut deeper.
 */
export type CompactionWish = {
  trigger: "manual" | "auto" | "overflow" | "cut";
  focus: string | null;
  attempt: number;
};

/** Attempt number of a model call, from 1, and how long the wait before it was (0 for the first). */
export type Attempt = { effectId: EffectId; attempt: number; waitedMs: Millis };

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
  /** Every denied call (bounded: 500, long arguments shortened). */
  denials: DenialInfo[];
  /** Consecutive steps in which every call was denied. */
  deniedSteps: number;
  /** Consecutive empty replies, replies cut by the output limit, and paused replies. */
  emptyReplies: number;
  cuts: number;
  pauses: number;
  /** How often the conversation was to be made shorter since the model's last good answer. */
  squeezes: number;
  /** The model asked for a compaction, which begins when the results of the step are stored. */
  wish?: { focus: string | null };
  /** Rounds of tool calls since the last prompt or the last successful change of the checklist. */
  roundsWithoutTodo?: number;
  /** Set when a limit was passed: the batch in hand is finished, then the turn wraps up. */
  limit: LimitKind | null;
};

export type InterruptBy = "user" | "client_gone" | "shutdown" | "terminated";

/** `promptSince`: a prompt came after the interrupt, so the next turn begins by itself. */
export type Interrupting = { by: InterruptBy; at: Millis; promptSince: boolean };

/** All that the engine knows of a session: plain JSON, stored after each input. */
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
  interrupting: Interrupting | null;
  /** Empty when idle, but for what an interrupt left: the next prompt takes it along. */
  queue: WaitingPrompt[];
  usage: Usage;
  /** Blob hashes of pictures that a vendor refused: requests name them in words instead. */
  refusedImages?: readonly string[];
  /** The last message that a compaction left out: what lies before is not needed for requests. */
  droppedThrough?: MessageId | null;
  /** Estimated tokens after the last compaction, and how many failed in a row. */
  compacted?: { estimate: number; failures: number };
  /** The checklist of the session. */
  todos?: readonly TodoItem[];
  /** Folders of the skills that were loaded: their files can be read. */
  skillFolders?: readonly string[];
  /** Commands lately carried out, newest last (bounded): a repeat changes nothing. */
  recentCommands: CommandId[];
};

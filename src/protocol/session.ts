import type { CallId, EffectId, JsonObject, MessageId, Millis, RunId, SessionId } from "./ids.ts";
import type { ToolResultBlock, Usage } from "./message.ts";
import type { Approval, PermissionMode } from "./permission.ts";
import type { TodoItem } from "./plans.ts";
import type { SandboxState } from "./ports.ts";

/** What the engine is doing; the closed set of DESIGN 5. */
export type PhaseName =
  | "idle"
  | "calling_model"
  | "preparing_tools"
  | "running_tools"
  | "compacting"
  | "waiting_retry"
  | "wrapping_up"
  | "needs_client";

/** Bounds of one turn; `null` = none. */
export type Limits = {
  /** Model calls of the turn (what other tools call turns). */
  maxSteps: number | null;
  maxToolCalls: number | null;
  /** Input, output and cache tokens together. */
  maxTokens: number | null;
  maxCostUsd: number | null;
  maxSeconds: number | null;
};

export type LimitKind = "steps" | "tool_calls" | "tokens" | "cost" | "time";

/** How a turn ended: a closed set; exit codes are in outcome.ts. */
export type Outcome =
  | { type: "done" }
  | { type: "failed"; error: FailureInfo }
  | { type: "limit"; limit: LimitKind }
  | { type: "denied"; message: string }
  | { type: "schema"; message: string }
  | { type: "refused"; message: string }
  | { type: "cut"; message: string }
  | { type: "interrupted"; by: "user" | "client_gone" | "shutdown" | "terminated" };

export type FailureKind =
  | "authentication"
  | "permission"
  | "not_found"
  | "invalid_request"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "network"
  | "timeout"
  | "too_large"
  | "context_exceeded"
  | "no_model"
  | "config"
  | "sandbox"
  | "internal";

export type FailureInfo = { kind: FailureKind; message: string; status?: number };

/** A denied call as listed in results. */
export type DenialInfo = { callId: CallId; tool: string; input: JsonObject; reason: string };

export type SessionStatus = "idle" | "working" | "waiting_approval" | "needs_client";

/** What every client sees of a session. */
export type SessionInfo = {
  id: SessionId;
  title: string;
  cwd: string;
  roots: string[];
  model: string;
  mode: PermissionMode;
  status: SessionStatus;
  head: MessageId | null;
  parentSessionId: SessionId | null;
  parentRunId: RunId | null;
  parentCallId: CallId | null;
  sandbox: "on" | "none";
  /** Totals since the session began. */
  usage: Usage;
  messageCount: number;
  createdAt: Millis;
  updatedAt: Millis;
};

/** What a session was opened with and keeps; stored. */
export type SessionOptions = {
  /** Replaces the built-in identity and rules. */
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** Rules given by flag (`--allowed-tools`, `--disallowed-tools`), in the ecosystem's rule syntax. */
  allowedTools?: string[];
  disallowedTools?: string[];
  /** The only tools offered, when set. */
  tools?: string[];
  sandbox: "on" | "none";
  /** Names (never values) of the keys that the session began with; the daemon fills it in. */
  keyNames?: string[];
};

/** The life of one tool call; fields exist only where they are true. */
export type CallRecord = {
  id: CallId;
  name: string;
  input: JsonObject;
} /** `invalid`: the arguments were no JSON object, so it will be answered and never run. */ & (
  | { status: "preparing"; invalid?: { raw: string; reason: string } }
  /** `effectId` and `startedAt`: the call runs and asked on its way. */
  | { status: "awaiting_approval"; approvalId: string; effectId: EffectId | null; startedAt?: Millis }
  | { status: "running"; effectId: EffectId; startedAt: Millis; approvalId?: string }
  | { status: "done"; result: ToolResultBlock; startedAt?: Millis; finishedAt: Millis }
);

/** A prompt that waits: `steer` is delivered between steps, `queue` after the turn. */
export type QueuedPrompt = {
  id: string;
  delivery: "steer" | "queue";
  text: string;
  at: Millis;
};

/** What a client that opens a session needs to draw it at once. */
export type SessionSnapshot = {
  session: SessionInfo;
  /** Number of the last fact included. */
  seq: number;
  phase: PhaseName;
  runId: RunId | null;
  calls: CallRecord[];
  queue: QueuedPrompt[];
  approvals: Approval[];
  /** The session's checklist. */
  todos?: TodoItem[];
  /** Skills that the user may call for by a prompt `/name words`, sorted by name. */
  skills?: { name: string; description: string }[];
  /** Names of the tools offered to the model. */
  tools: string[];
  sandbox: SandboxState;
  /** The message that streams now, as far as it got. */
  streaming: {
    effectId: EffectId;
    text: string;
    thinking: string;
    toolCalls: { name: string; chars: number }[];
  } | null;
};

import type { CallId, Json, JsonObject, MessageId, Millis, RunId, SessionId } from "./ids.ts";

/** A pointer to bytes in the content-addressed blob store. */
export type BlobRef = {
  /** Lower-case hex SHA-256 of the bytes. */
  hash: string;
  /** Size in bytes. */
  size: number;
  mediaType: string;
};

export type TextBlock = { type: "text"; text: string };

/** Reasoning of a model. `data` is opaque and goes back only to the model named by `source`. */
export type ThinkingBlock = {
  type: "thinking";
  text: string;
  /** `provider/model` that made it. */
  source: string;
  /** What the vendor needs back verbatim (signature, encrypted content, redacted data). */
  data?: Json;
};

export type ImageBlock = { type: "image"; blob: BlobRef; width?: number; height?: number; name?: string };

/** A call proposed by the model. `invalid` is set when the arguments were not a JSON object: it never runs. */
export type ToolCallBlock = {
  type: "tool_call";
  id: CallId;
  name: string;
  input: JsonObject;
  invalid?: { raw: string; reason: string };
};

/** How a tool call ended. `unknown`: the machine or daemon died while it ran. */
export type ToolResultStatus = "ok" | "error" | "denied" | "interrupted" | "unknown";

export type ToolResultBlock = {
  type: "tool_result";
  callId: CallId;
  status: ToolResultStatus;
  /** What the model is told; never empty. */
  content: (TextBlock | ImageBlock)[];
  /** What a screen shows in its place, when that differs. */
  display?: ToolDisplay;
  /** The whole output, when `content` is a cut of it. */
  full?: BlobRef;
};

/** Facts that the harness adds for the model (time, mode changes); not the user's words. */
export type ReminderBlock = { type: "reminder"; text: string };

export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | ImageBlock
  | ToolCallBlock
  | ToolResultBlock
  | ReminderBlock;

/** What a screen may draw for a finished call beyond its text. */
export type ToolDisplay =
  | { type: "diff"; path: string; patch: string; added: number; removed: number }
  | {
      type: "command";
      command: string;
      exitCode: number | null;
      signal: string | null;
      durationMs: number;
      sandbox: string;
    }
  | { type: "summary"; text: string };

export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "context_exceeded"
  | "interrupted"
  | "error";

/** Tokens of one model call. `null` means the provider did not say. */
export type Usage = {
  /** Input tokens that were neither read from nor written to the provider's cache. */
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** US dollars; `null` when the price is unknown. */
  cost: number | null;
};

export type MessageKind = "prompt" | "reply" | "tool_results" | "summary";

/** Who caused a message: a person (by which client), the model, or the harness itself. */
export type Origin = "user" | "model" | "harness";

/**
 * A user's words as they are kept over compactions. `whole` is false where only the lines that read as rules are
 * kept (or none, `text` is empty then); `messageId` reads the whole prompt back.
 */
export type KeptPrompt = { messageId: MessageId; text: string; whole: boolean };

/** A file that the session changed, and what was done to it in few words. */
export type ChangedFile = { path: string; what: string };

/**
 * What a message of kind `summary` changes in how the history before it is told to the model. Nothing is deleted
 * or rewritten: the messages stay in the tree, only requests are derived otherwise from here on.
 */
export type HistoryCut =
  /** Tool results up to and including that of this call are told as pointers. */
  | { type: "trimmed"; trimmedThrough: CallId }
  /** The message's own content stands for all messages up to and including `droppedThrough`. */
  | {
      type: "compacted";
      droppedThrough: MessageId;
      trimmedThrough: CallId | null;
      trigger: "auto" | "manual" | "overflow";
      /** Tokens of the context before, as far as known. */
      tokensBefore: number;
      /** File with the messages that are told no more, one JSON message a line; null: it could not be written. */
      transcript: string | null;
      /** What the next compaction must carry on: the user's prompts and the files changed so far. */
      prompts: KeptPrompt[];
      files: ChangedFile[];
    };

/** One node of the append-only message tree. */
export type Message = {
  id: MessageId;
  sessionId: SessionId;
  parentId: MessageId | null;
  runId: RunId | null;
  role: "user" | "assistant";
  kind: MessageKind;
  origin: Origin;
  content: ContentBlock[];
  /** `provider/model` of a reply. */
  model?: string;
  stopReason?: StopReason;
  usage?: Usage;
  /** Of a `summary`. */
  cut?: HistoryCut;
  createdAt: Millis;
};

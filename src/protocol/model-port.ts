import type { JsonObject } from "./ids.ts";
import type { ContentBlock, StopReason, Usage } from "./message.ts";
import type { FailureInfo } from "./session.ts";
import type { ToolSpec } from "./tool.ts";

export type WireName = "anthropic" | "openai-chat" | "openai-responses";

/** A model as chosen, with where and how to reach it. The key is not part of it. */
export type ModelRef = {
  /** `provider/model`: what sessions store and people see. */
  id: string;
  provider: string;
  /** The name on the wire. */
  model: string;
  wire: WireName;
  baseUrl: string;
  /** Names of the credentials that would do, best first. Empty: none needed (local servers). */
  keyNames: string[];
  contextWindow: number | null;
  maxOutput: number;
  images: boolean;
  /** US dollars per million tokens; `null` = unknown. */
  price: { input: number; output: number; cacheRead: number; cacheWrite: number } | null;
  /** Extra headers from config or environment. */
  headers?: Record<string, string>;
};

/** One message as a wire needs it: blobs are loaded, reminders are text, roles alternate. */
export type RequestMessage = { role: "user" | "assistant"; content: RequestBlock[] };

export type RequestBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; base64: string }
  | Extract<ContentBlock, { type: "thinking" }>
  | { type: "tool_call"; id: string; name: string; input: JsonObject; invalidRaw?: string }
  | {
      type: "tool_result";
      callId: string;
      isError: boolean;
      content: ({ type: "text"; text: string } | { type: "image"; mediaType: string; base64: string })[];
    };

/** Provider-neutral request; the only thing a wire gets to see. */
export type ModelRequest = {
  system: string;
  tools: ToolSpec[];
  messages: RequestMessage[];
  maxOutput: number;
  /** Stable per session: providers use it to route to a warm cache. */
  cacheKey: string;
  /** Tools may not be called (wrap-up): they stay in the request so that the prefix is stable. */
  toolChoice: "auto" | "none";
};

/** What a stream yields. It never throws: `failed` or `message_end` is its last event, always exactly one. */
export type ModelEvent =
  | { type: "message_start" }
  | { type: "text_delta"; text: string }
  | { type: "thinking_delta"; text: string }
  | { type: "tool_call_start"; index: number; name: string }
  | { type: "tool_call_delta"; index: number; chars: number }
  | { type: "tool_call_end"; index: number }
  | {
      type: "message_end";
      /** The whole message, in the order of the wire, call ids already ours. No empty text block. */
      content: Extract<ContentBlock, { type: "text" | "thinking" | "tool_call" }>[];
      stopReason: StopReason;
      usage: Usage;
      /** What a refusal or pause said beyond the content. */
      note?: string;
    }
  | {
      type: "failed";
      error: FailureInfo;
      /** May the same request be sent again? */
      retryable: boolean;
      retryAfterMs: number | null;
      /** Text and thinking that had arrived, for showing and keeping; never a half call. */
      partial: Extract<ContentBlock, { type: "text" | "thinking" }>[];
      usage: Usage;
    };

export type ModelPort = {
  stream(call: {
    model: ModelRef;
    request: ModelRequest;
    /** Value by credential name; memory only. */
    credentials: Record<string, string>;
    /** Proxy and certificate variables of the session's environment. */
    environment: Record<string, string>;
    newId: () => string;
    signal: AbortSignal;
    timeoutMs: number;
  }): AsyncIterable<ModelEvent>;
};

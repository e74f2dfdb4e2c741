/**
 * The script format of the scripted model server. One script plays on all three wires; a file holds
 * `{"turns": [...]}` or the bare list. Turns are played in order, one for each model request. A turn with
 * `when` waits aside and is played once by the first request that matches it (for subagents and summaries,
 * whose place in the order is not known). After the last turn the server answers 400 and says so, unless the
 * file sets `"repeatLast": true`.
 */
export type ScriptFile = { turns: Turn[]; repeatLast?: boolean };

/** A script from code may decide by the request; `index` counts requests from 0. */
export type TurnSource = (request: RecordedRequest, index: number) => Turn | Promise<Turn>;

export type Script = Turn[] | ScriptFile | TurnSource;

/** One answer. `content` gives the order of blocks; the shorthands are played as thinking, text, calls. */
export type Turn = {
  when?: { bodyContains: string };
  thinking?: string;
  text?: string;
  calls?: ScriptedCall[];
  content?: ScriptedBlock[];
  /**
   * In Anthropic's words (`end_turn`, `tool_use`, `max_tokens`, `pause_turn`, `refusal`, ...), translated on
   * the other wires; unknown words are sent as they are; `null` sends none. Default: by the content.
   */
  stop?: string | null;
  /** Default: estimated from the lengths. `null`: the answer holds no usage at all. */
  usage?: ScriptedUsage | null;
  /** Exact usage objects in the wire's own spelling, instead of `usage`: at the start and at the end. */
  startUsage?: unknown;
  endUsage?: unknown;
  /** Characters of one delta; default 4, which stands for a token. */
  chunkSize?: number;
  /** Bytes of one socket write, to split lines and characters anywhere. Only for unpaced turns. */
  writeSize?: number;
  /** Milliseconds before the answer's first byte. */
  latencyMs?: number;
  /** Milliseconds between deltas. */
  delayMs?: number;
  /** Deltas a second; wins over `delayMs`. */
  tokensPerSecond?: number;
  /** Stops until `release()`: before the headers, before the closing events, or after so many characters. */
  hold?: "request" | "end" | number;
  /** Breaks off after so many characters: TCP reset, or a clean end without the closing events. */
  cut?: { type: "reset" | "clean"; after?: number };
  /** An HTTP error instead of an answer; `body` is sent as it is (objects as JSON). */
  error?: {
    status: number;
    headers?: Record<string, string>;
    type?: string;
    message?: string;
    body?: unknown;
  };
  /** An error event inside the stream, after so many characters. */
  streamError?: { type: string; message: string; after?: number };
  /** Frames written as they are instead of an answer: text verbatim plus a blank line, objects as `data:`. */
  raw?: unknown[];
  /** Answers a request for a stream with one JSON document, as some proxies do. */
  json?: boolean;
  /** Headers added to the answer. */
  headers?: Record<string, string>;
};

export type ScriptedBlock =
  | { type: "text"; text: string }
  /** `signature` replaces the one that the strict check accepts. */
  | { type: "thinking"; text: string; signature?: string }
  | { type: "redacted_thinking" }
  | ({ type: "call" } & ScriptedCall);

export type ScriptedCall = {
  name: string;
  input?: unknown;
  /** The argument text verbatim, instead of `input`. */
  raw?: string;
  /** Default: counted up; `null` sends none. */
  id?: string | null;
  /** OpenAI Chat: the call's index; `null` sends none. */
  index?: number | null;
  /** OpenAI Chat: everything in one chunk. */
  whole?: boolean;
  /** OpenAI Chat: `arguments` is an object and not a string; implies `whole`. */
  argumentsAsObject?: boolean;
};

/** Tokens in Anthropic's classes: `input` excludes both cache classes. A `null` is sent as `null`. */
export type ScriptedUsage = {
  input?: number | null;
  output?: number | null;
  cacheRead?: number | null;
  cacheWrite?: number | null;
  /** Output tokens in Anthropic's `message_start`; default 1. */
  startOutput?: number | null;
};

export type ScriptedWire = "anthropic" | "openai-chat" | "openai-responses";

export type RecordedRequest = {
  index: number;
  wire: ScriptedWire;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** The body as received. */
  raw: Buffer;
  /** The parsed body; `undefined` when it is no JSON. */
  body: unknown;
  /** When the whole request was there, in milliseconds since the server started. */
  at: number;
  /** When the answer's last byte was handed to the system; null before that. */
  answeredAt: number | null;
  /** Numbers the TCP connections from 0. */
  connection: number;
  /** What the strict check found in it. */
  problems: string[];
  /** True when the client went away before the answer was complete. */
  aborted: boolean;
};

export type StrictOptions = {
  /** Allow a conversation that ends with an assistant message although no paused turn came before. */
  allowPrefill?: boolean;
  /** Require `x-api-key` or a bearer token; default true. */
  requireKey?: boolean;
};

export type ScriptedModelOptions = {
  script: Script;
  /** Called when a request has been recorded, before it is answered. */
  onRequest?: (request: RecordedRequest) => void;
  /** Check every request and answer 400 to a wrong one. */
  strict?: boolean | StrictOptions;
  /** Names listed by `/v1/models`; default `scripted-model`. */
  models?: string[];
  /** Default 0: any free port. */
  port?: number;
};

export type ScriptedModel = {
  /** `http://127.0.0.1:PORT`: the base URL of the Anthropic wire; add `/v1` for OpenAI's. */
  url: string;
  port: number;
  /** Model requests in the order of arrival. */
  requests: RecordedRequest[];
  /** Method and path of everything else that was asked, `/v1/models` included. */
  others: string[];
  /** Everything the strict check found, with the request's number, and requests beyond the script. */
  problems: string[];
  /** Lets one held answer go on: now, or as soon as one gets to its hold. */
  release(): void;
  /** The n-th model request (from 1), as soon as it is there; rejects after the time. */
  waitForRequest(n: number, timeoutMs: number): Promise<RecordedRequest>;
  close(): Promise<void>;
};

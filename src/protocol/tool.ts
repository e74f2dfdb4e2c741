import type { Json, JsonObject } from "./ids.ts";
import type { ImageBlock, TextBlock, ToolDisplay } from "./message.ts";
import type { SkillPort, TaskPort, TodoPort } from "./plans.ts";
import type { CommandPort, FilePort, RecallPort, SearchPort } from "./ports.ts";

export type ToolEffect = "read" | "write" | "execute" | "network" | "none";

/** JSON Schema of a tool's input; always an object at the top. */
export type InputSchema = {
  type: "object";
  properties: { [name: string]: JsonObject };
  required?: string[];
  additionalProperties?: boolean;
};

/** What the model sees of a tool. */
export type ToolSpec = { name: string; description: string; inputSchema: InputSchema };

/** What a call would touch, paths as the model wrote them (made absolute, not yet resolved). */
export type Action =
  | { type: "read_path"; path: string }
  | { type: "write_path"; path: string; change: "create" | "edit" | "append" | "delete" | "move" }
  | { type: "run_command"; command: string; cwd: string; network: boolean; unsandboxed: boolean }
  | { type: "fetch_url"; url: string }
  | { type: "ask_user"; question: string }
  | { type: "session_state" };

/** Where a session works. `roots[0]` is its first root; `cwd` lies in one of the roots. */
export type Place = {
  cwd: string;
  roots: string[];
  home: string;
  /** The session's private temp directory: seen as /tmp by commands and by the file tools. */
  tmp: string;
};

/** Valid input, or what is wrong with it in words that name the parameter. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; error: string };

/**
 * A tool. Adding one is a folder under `tools/` and a line in `tools/registry.ts`: permission, audit,
 * validation, output limits, cancellation and concurrency are done around it.
 */
export type ToolDefinition<Input = unknown> = {
  name: string;
  /** Names that models use for the same tool, and that rules and hooks may use. */
  aliases: readonly string[];
  description: string;
  inputSchema: InputSchema;
  effect: ToolEffect;
  /** True when calls may run side by side; writers of one file are kept apart by the runner anyway. */
  parallel: boolean;
  /** Checks and normalises what a model sent: other parameter names, numbers as strings. Pure. */
  parse(input: JsonObject): Parsed<Input>;
  /** What the call would touch. Pure: no I/O. */
  actions(input: Input, place: Place): Action[];
  /** Does the work. Throws only for bugs; expected failures are an `error` output. */
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
};

export type ToolOutput = {
  status: "ok" | "error" | "denied";
  content: (TextBlock | ImageBlock)[];
  display?: ToolDisplay;
  /** The whole text when `content` is only a part; stored as a blob by the runner. */
  fullText?: string | Uint8Array;
};

/** Everything a running tool may reach: already under the session's policy. */
export type ToolContext = {
  place: Place;
  signal: AbortSignal;
  files: FilePort;
  commands: CommandPort;
  search: SearchPort;
  recall: RecallPort;
  todos: TodoPort;
  tasks: TaskPort;
  skills: SkillPort;
  /** Asks that the conversation be compacted after this step; `focus` null: with an eye on nothing in particular. */
  compact(focus: string | null): void;
  /** Shows progress to whoever watches; may be dropped. */
  progress(text: string): void;
  /** Stores bytes as a blob and gives the block for them. */
  image(bytes: Uint8Array, mediaType: string, size: { width: number; height: number }): Promise<ImageBlock>;
  /** Room for values that a tool keeps per session (JSON only). */
  settings: { commandTimeoutMs: number; commandTimeoutMaxMs: number; outputLimitChars: number; extra: Json };
};

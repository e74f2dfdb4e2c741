import type { Delta, NumberedFact } from "./event.ts";
import type { ApprovalId, CommandId, Json, JsonObject, MessageId, Millis, SessionId } from "./ids.ts";
import type { ApprovalAnswer, AuditRow, PermissionDecision, PermissionMode, Rule } from "./permission.ts";
import type { Task, TaskImport } from "./plans.ts";
import type { CommandResult, SandboxState } from "./ports.ts";
import type { Limits, SessionInfo, SessionOptions, SessionSnapshot } from "./session.ts";

/** Raised when a message changes meaning; a daemon serves clients of the same number. */
export const PROTOCOL_VERSION = 1;

/** What a person hands in with a prompt. Files named by `@path` in a text are expanded by the daemon. */
export type PromptPart =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; base64: string; name?: string };

/** Sent with `session.create` and `session.open`: who works here and what may be used for it. */
export type ClientContext = {
  /** Allow-listed variables (PATH, language, proxies, base URLs); stored with the session. */
  environment: Record<string, string>;
  /** Keys by variable name; memory only. */
  credentials: Record<string, string>;
};

/** Methods: name -> params and result. Every message is one line of JSON-RPC 2.0. */
export type Methods = {
  initialize: {
    params: { protocolVersion: number; client: { name: string; version: string; id?: string } };
    result: { protocolVersion: number; version: string; pid: number; startedAt: Millis; busy: boolean };
  };
  "session.create": {
    params: {
      cwd: string;
      addDirs?: string[];
      model?: string;
      mode?: PermissionMode;
      title?: string;
      /** A UUID chosen by the client; refused when taken. */
      sessionId?: SessionId;
      options: SessionOptions;
      context: ClientContext;
    };
    result: { session: SessionInfo; notices: string[] };
  };
  /** Subscribes to a session: answers with a snapshot, then facts and deltas follow as notifications. */
  "session.open": {
    params: {
      sessionId: SessionId;
      afterSeq?: number;
      history?: number;
      context?: ClientContext;
      /** False: facts alone are sent (default true). */
      deltas?: boolean;
    };
    result: {
      snapshot: SessionSnapshot;
      facts: NumberedFact[];
      hasEarlier: boolean;
    };
  };
  "session.close": { params: { sessionId: SessionId }; result: Record<string, never> };
  "session.prompt": {
    params: {
      sessionId: SessionId;
      commandId: CommandId;
      content: PromptPart[];
      /** `steer` (default): between steps of a running turn; `queue`: after it. */
      delivery?: "steer" | "queue";
      /** False = headless: nothing is asked, "ask" means deny. */
      interactive: boolean;
      /** The turn is interrupted when this client is gone for five seconds. */
      boundToClient: boolean;
      limits?: Partial<Limits>;
    };
    /** `promptId` also names the message of the prompt and, when it begins one, the run. */
    result: { accepted: true; queued: boolean; seq: number; promptId: string };
  };
  "session.unqueue": {
    params: { sessionId: SessionId; commandId: CommandId; promptId: string };
    result: { removed: boolean; text: string };
  };
  "session.interrupt": {
    params: { sessionId: SessionId; commandId: CommandId; by: "user" | "terminated" };
    result: { interrupted: boolean };
  };
  "session.answer": {
    params: { sessionId: SessionId; commandId: CommandId; approvalId: ApprovalId; answer: ApprovalAnswer };
    /** `accepted` is false when another answer came first. */
    result: { accepted: boolean };
  };
  "session.update": {
    params: {
      sessionId: SessionId;
      commandId: CommandId;
      model?: string;
      mode?: PermissionMode;
      title?: string;
      /** Rules by flag; each list that is given replaces the one the session had. */
      allowedTools?: string[];
      disallowedTools?: string[];
    };
    result: { session: SessionInfo };
  };
  "session.clear": { params: { sessionId: SessionId; commandId: CommandId }; result: Record<string, never> };
  /**
   * Makes the conversation shorter by a summary, with an eye on `focus`. Answers when it has begun: how it ends is
   * told by facts (a message of kind `summary`, or a notice with the code `compact`). `busy` while a turn runs.
   */
  "session.compact": {
    params: { sessionId: SessionId; commandId: CommandId; focus?: string };
    result: Record<string, never>;
  };
  /** What fills the model's window. All counts are tokens; those of the parts are estimates. */
  "session.context": {
    params: { sessionId: SessionId };
    result: {
      model: string;
      /** The model's window; null: not known. */
      window: number | null;
      /** Above this the conversation is compacted by itself. */
      compactsAt: number;
      used: number;
      /** True when `used` rests on what the model reported of its last request. */
      measured: boolean;
      parts: {
        name:
          | "system"
          | "tools"
          | "instructions"
          | "summary"
          | "prompts"
          | "replies"
          | "calls"
          | "results"
          | "images";
        tokens: number;
      }[];
    };
  };
  "session.fork": {
    params: { sessionId: SessionId; at?: MessageId; context?: ClientContext };
    result: { session: SessionInfo };
  };
  "session.list": {
    params: { cwd?: string; search?: string; limit?: number; before?: Millis };
    result: { sessions: SessionInfo[] };
  };
  "session.facts": {
    params: { sessionId: SessionId; afterSeq?: number; beforeSeq?: number; limit?: number };
    result: { facts: NumberedFact[] };
  };
  "session.audit": { params: { sessionId: SessionId; limit?: number }; result: { rows: AuditRow[] } };
  "session.delete": { params: { sessionId: SessionId }; result: { deleted: boolean } };
  "session.export": { params: { sessionId: SessionId }; result: { export: JsonObject } };
  "blob.read": {
    params: { hash: string; offset?: number; length?: number };
    result: { base64: string; size: number };
  };
  "permission.test": {
    params: {
      cwd: string;
      tool: string;
      input: JsonObject;
      mode?: PermissionMode;
      rules?: Rule[];
      trusted?: boolean;
      home?: string;
    };
    /** `words`: what each suggestion covers, in their order. */
    result: { decision: PermissionDecision; words: string[] };
  };
  "permission.list": {
    params: { cwd: string };
    result: { rules: Rule[]; mode: PermissionMode; trusted: boolean };
  };
  "trust.set": { params: { path: string; trusted: boolean }; result: { path: string; trusted: boolean } };
  "sandbox.run": {
    params: {
      command: string;
      cwd: string;
      /** The policy file's content, as documented in docs/security.md. */
      policy: JsonObject;
      environment: Record<string, string>;
      timeoutMs?: number;
    };
    result: { result: CommandResult };
  };
  /** The tasks of the project that a folder belongs to: the top of its git work tree, else the folder itself. */
  "tasks.list": { params: { cwd: string }; result: { project: string; tasks: Task[] } };
  /**
   * Takes tasks with their ids from files `task_<id>.json`, each with one task. What is no such file, or not whole, is
   * left out and named; so is a task whose id is taken, unless `replace`.
   */
  "tasks.import": {
    params: { cwd: string; files: { name: string; text: string }[]; replace: boolean };
    result: TaskImport;
  };
  "tasks.delete": { params: { cwd: string; id: number }; result: { deleted: boolean } };
  "daemon.status": {
    params: Record<string, never>;
    result: {
      version: string;
      pid: number;
      startedAt: Millis;
      parts: { name: string; ok: boolean; detail: string }[];
      sessions: { open: number; working: number };
      clients: number;
      memoryMb: number;
    };
  };
  "daemon.doctor": {
    params: { cwd: string; context: ClientContext };
    result: {
      checks: { name: string; status: "ok" | "warning" | "failed"; detail: string; mend?: string }[];
      sandbox: SandboxState;
    };
  };
  "daemon.stop": { params: { force?: boolean }; result: { stopping: boolean; working: number } };
  "models.list": {
    params: { cwd: string; context: ClientContext };
    result: { models: { id: string; available: boolean; note: string }[]; default: string | null };
  };
};

export type MethodName = keyof Methods;

/** Notifications from the daemon. */
export type Notifications = {
  "session.fact": { sessionId: SessionId } & NumberedFact;
  "session.delta": { sessionId: SessionId; delta: Delta };
  /** The session stopped working (disk full, database broken): its last commit stands; open it again to go on. */
  "session.halted": { sessionId: SessionId; code: string; message: string };
  /**
   * Deltas were dropped for this client (open the session again for what streams now), the daemon is about to
   * stop, or the client read too slowly and is disconnected (come back and open with `afterSeq`).
   */
  "daemon.notice": { code: "deltas_dropped" | "stopping" | "too_slow"; sessionId?: SessionId };
};

/** JSON-RPC 2.0 frames. @public */
export type RpcRequest = { jsonrpc: "2.0"; id: number | string; method: string; params?: Json };
/** @public */
export type RpcNotification = { jsonrpc: "2.0"; method: string; params?: Json };
export type RpcResponse =
  | { jsonrpc: "2.0"; id: number | string | null; result: Json }
  | { jsonrpc: "2.0"; id: number | string | null; error: RpcError };
/** `data.code` is one of ours (`not_found`, `busy`, `invalid_params`, ...); `message` is for people. */
export type RpcError = { code: number; message: string; data?: { code: string } & JsonObject };

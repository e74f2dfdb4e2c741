import type { ApprovalId, CallId, Json, JsonObject, Millis, RunId, SessionId } from "./ids.ts";

export type PermissionMode = "ask" | "accept-edits" | "auto" | "read-only" | "bypass";

export const PERMISSION_MODES: readonly PermissionMode[] = [
  "ask",
  "accept-edits",
  "auto",
  "read-only",
  "bypass",
];

/** Where a rule comes from; later scopes never remove a deny of an earlier one. */
export type RuleScope = "builtin" | "managed" | "user" | "project" | "session" | "flag";

export type RuleEffect = "allow" | "deny" | "ask";

/** One rule as written by a person, with where it stands. */
export type Rule = {
  effect: RuleEffect;
  /** Canonical tool name (`bash`, `read_file`, ...), a family (`read`, `edit`, `fetch`, `mcp`) or `*`. */
  tool: string;
  /** Command tokens (`git log *`), path glob (`src/**`) or `domain:example.com`; absent = every use. */
  match?: string;
  scope: RuleScope;
  /** `file:line` or a flag's name, for people. */
  source: string;
};

/** What a call would touch, with every path already resolved (links followed, absolute). */
export type ResolvedAction =
  | { type: "read_path"; path: string; realPath: string }
  | {
      type: "write_path";
      path: string;
      realPath: string;
      change: "create" | "edit" | "append" | "delete" | "move";
    }
  | { type: "run_command"; command: string; cwd: string; network: boolean; unsandboxed: boolean }
  | { type: "fetch_url"; url: string }
  | { type: "ask_user"; question: string }
  /** An action without effect outside the session (todo lists and the like). */
  | { type: "session_state" };

/** Which layer of the order in DESIGN 6 decided. */
export type DecisionLayer =
  | "deny_rule"
  | "secret"
  | "mode"
  | "protected_path"
  | "ask_rule"
  | "allow_rule"
  | "grant"
  | "effect"
  | "builtin"
  | "invalid";

/** In which sandbox profile an allowed command runs. */
export type SandboxProfileName = "read-only" | "workspace-write";

export type PermissionDecision =
  | {
      type: "allow";
      layer: DecisionLayer;
      rule?: Rule;
      profile: SandboxProfileName;
      reason: string;
      /** The command writes the repository's configuration: run with it unpinned, compare afterwards. */
      gitConfigWrite?: boolean;
    }
  | { type: "deny"; layer: DecisionLayer; rule?: Rule; reason: string; wayOut?: string }
  | {
      type: "ask";
      layer: DecisionLayer;
      rule?: Rule;
      profile: SandboxProfileName;
      reason: string;
      /** The parts that are undecided, in the words of the action. */
      parts: string[];
      /** Rules that "always allow" would write, one per part; empty when nothing may be made permanent. */
      suggestions: Rule[];
      /** True when only this exact call may be approved (protected paths). */
      onceOnly: boolean;
      gitConfigWrite?: boolean;
      /** Paths outside the roots that the command is known to write: an approval covers them. */
      writesOutside?: string[];
    };

/**
 * A permission given while working: for this task (session), for this project (its folder and what lies below,
 * kept in the user's config folder, never in the project) or everywhere (user config).
 */
export type Grant = { rule: Rule; scope: GrantScope; grantedAt: Millis; by: string };

export type GrantScope = "task" | "project" | "everywhere";

export type ApprovalKind = "tool" | "escalation" | "domain" | "question" | "limit";

/** A stored question to the user; outlives screen and daemon. */
export type Approval = {
  id: ApprovalId;
  sessionId: SessionId;
  runId: RunId;
  callId: CallId | null;
  kind: ApprovalKind;
  tool: string;
  /** SHA-256 over tool, canonical arguments, cwd, policy and session: what an answer is bound to. */
  binding: string;
  title: string;
  /** The exact text, with control, bidi and zero-width characters spelled out. */
  detail: string;
  input: JsonObject;
  /** For an edit: its unified diff. */
  diff?: string;
  reason: string;
  parts: string[];
  suggestions: Rule[];
  /** What each of the suggestions covers, in words, in the same order. */
  words?: string[];
  onceOnly: boolean;
  createdAt: Millis;
  status: "open" | "approved" | "denied" | "cancelled";
  answer?: ApprovalAnswer;
  answeredBy?: string;
  answeredAt?: Millis;
};

/** What a client may answer. `deny` may carry a word to the model. */
export type ApprovalAnswer =
  | { type: "allow"; scope: "once" | GrantScope }
  | { type: "deny"; message?: string }
  | { type: "reply"; text: string };

/** One row of the audit log: every decision, also the silent ones. */
export type AuditRow = {
  sessionId: SessionId;
  runId: RunId | null;
  callId: CallId | null;
  tool: string;
  decision: "allow" | "deny" | "ask" | "approved" | "refused";
  layer: DecisionLayer;
  rule: string | null;
  source: string | null;
  by: string;
  reason: string;
  at: Millis;
  detail?: Json;
};

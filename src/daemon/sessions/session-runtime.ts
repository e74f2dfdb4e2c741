import type { ResolvedConfig } from "../../config/resolved.ts";
import type { RequestBuilder } from "../../context/request/build.ts";
import type { SkillScan } from "../../extensions/skills/scan.ts";
import type { ApprovalId, CallId, EffectId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ApprovalAnswer, Grant, Rule } from "../../protocol/permission.ts";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { SessionOptions, SessionSnapshot } from "../../protocol/session.ts";
import type { Place, ToolSpec } from "../../protocol/tool.ts";
import type { ReadLedger } from "../../sandbox/files/ledger.ts";
import type { Deferred } from "../../shared/async.ts";
import type { SessionActor } from "./session-actor.ts";

/** Config and rules as a session uses them now. */
export type SessionSettings = {
  config: ResolvedConfig;
  rules: Rule[];
  trusted: boolean;
  notices: string[];
};

/** One call of the batch in hand, for the order between calls that write and calls that run. */
export type BatchCall = {
  id: CallId;
  kind: "read" | "write" | "execute" | "state" | "state_change";
  done: Deferred<void>;
  finished: boolean;
};

/**
 * What a loaded session holds in memory beside its actor. All of it can be made again from the store, the
 * config files and the client; credentials are here and nowhere else.
 */
export type SessionRuntime = {
  actor: SessionActor;
  options: SessionOptions;
  environment: Record<string, string>;
  credentials: Record<string, string>;
  settings: SessionSettings;
  place: Place;
  policy: SandboxPolicy;
  grants: Grant[];
  seen: ReadLedger;
  requests: RequestBuilder;
  /** The chain of the head, as far as it is loaded. */
  history: Message[];
  prefix: { hash: string; system: string; tools: ToolSpec[] } | null;
  prefixHash: string | null;
  /** Running effects; aborting ends them. */
  running: Map<EffectId, AbortController>;
  /** Questions of running calls, by approval. */
  questions: Map<ApprovalId, Deferred<ApprovalAnswer | null>>;
  /** Approvals whose single use is spent. */
  spent: Set<ApprovalId>;
  batch: BatchCall[];
  /** Tails of the queues that keep writers of one file apart, by real path. */
  writers: Map<string, Promise<void>>;
  streaming: SessionSnapshot["streaming"];
  /** Ends the watch for the client of the turn in hand. */
  unbind(): void;
  /** What a look for skills found; null before the first need. */
  skills: Promise<SkillScan> | null;
  /** Mode as the model was last told. */
  toldMode: string | null;
};

/** Registers an effect; its signal fires on `cancel` and when the session is dropped. */
export function beginEffect(runtime: SessionRuntime, effectId: EffectId): AbortSignal {
  const controller = new AbortController();
  runtime.running.set(effectId, controller);
  return controller.signal;
}

export function endEffect(runtime: SessionRuntime, effectId: EffectId): void {
  runtime.running.delete(effectId);
}

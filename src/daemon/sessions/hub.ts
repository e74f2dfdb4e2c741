import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { storableEnvironment } from "../../config/credentials.ts";
import { initialState } from "../../engine/initial.ts";
import type { EngineState } from "../../engine/state.ts";
import { transition } from "../../engine/transition.ts";
import type { Json, SessionId } from "../../protocol/ids.ts";
import type { ClientContext } from "../../protocol/rpc.ts";
import type { SessionInfo, SessionOptions } from "../../protocol/session.ts";
import type { StoredSession } from "../../protocol/store-port.ts";
import { AppError, errorMessage } from "../../shared/error.ts";
import { startEffect } from "../effects/start-effect.ts";
import { afterCommit, keepLedger, watchBound } from "./after-commit.ts";
import type { HubPorts } from "./hub-ports.ts";
import { readLedgerFile, writeLedgerFile } from "./ledger-file.ts";
import { openRuntime } from "./open-runtime.ts";
import { SessionActor } from "./session-actor.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Where a new session comes from when it is a copy. */
export type Origin = { from: SessionId; prefixHash: string | null; state: EngineState };

export type Hub = {
  /** Stores a new session and loads it. */
  create(
    session: SessionInfo,
    options: SessionOptions,
    context: ClientContext,
    origin?: Origin,
  ): Promise<SessionRuntime>;
  /** The loaded session, loading (and recovering) it if need be; AppError `not_found`. */
  get(id: SessionId, context?: ClientContext): Promise<SessionRuntime>;
  loaded(): SessionRuntime[];
  /** Drops an idle, unwatched session from memory and removes its temp folder; false when it stays. */
  release(id: SessionId): Promise<boolean>;
  /** Ends everything that runs, for shutdown; stored phases say what to reissue. */
  close(): Promise<void>;
};

/** All loaded sessions. A session that nobody watches is released as soon as it is idle. */
export function createHub(ports: HubPorts): Hub {
  const sessions = new Map<SessionId, Promise<SessionRuntime>>();
  const ready = new Map<SessionId, SessionRuntime>();
  /** Sessions that are being put away: whoever wants one waits until its folder is gone. */
  const leaving = new Map<SessionId, Promise<void>>();
  const { effects, watchers } = ports;

  const keep = (id: SessionId, opening: Promise<SessionRuntime>): Promise<SessionRuntime> => {
    sessions.set(id, opening);
    opening.then(
      (runtime) => sessions.get(id) === opening && ready.set(id, runtime),
      () => sessions.get(id) === opening && sessions.delete(id),
    );
    return opening;
  };
  const hooks: RuntimeHooks = {
    ended: (id) => setImmediate(() => void release(id)),
    halted(runtime, error) {
      const { id } = runtime.actor.session;
      effects.log("error", `session ${id} halted: ${error.message}`);
      sessions.delete(id);
      ready.delete(id);
      for (const controller of runtime.running.values()) controller.abort();
      watchers.halted(id, error);
      ports.activity();
    },
  };
  const release = async (id: SessionId): Promise<boolean> => {
    const runtime = ready.get(id);
    if (!runtime || runtime.actor.busy || watchers.count(id) > 0) return false;
    ready.delete(id);
    sessions.delete(id);
    const gone = putAway(runtime, ports);
    leaving.set(id, gone);
    await gone;
    leaving.delete(id);
    return true;
  };

  return {
    create: (session, options, context, origin) =>
      keep(session.id, createRuntime({ session, options, context, origin }, ports, hooks)),
    async get(id, context) {
      const known = sessions.get(id);
      const opening =
        known ??
        keep(
          id,
          (leaving.get(id) ?? Promise.resolve()).then(() => loadRuntime(id, context, ports, hooks)),
        );
      const runtime = await opening;
      if (context) await welcome(runtime, context, ports);
      return runtime;
    },
    loaded: () => [...ready.values()],
    release,
    async close() {
      const all = [...ready.values()];
      ready.clear();
      sessions.clear();
      await Promise.all([...all.map((runtime) => putAway(runtime, ports)), ...leaving.values()]);
    },
  };
}

/** What the hub is told by a session. */
type RuntimeHooks = {
  /** A turn ended. */
  ended(id: SessionId): void;
  /** The actor cannot go on. */
  halted(runtime: SessionRuntime, error: Error): void;
};

async function createRuntime(
  start: { session: SessionInfo; options: SessionOptions; context: ClientContext; origin?: Origin },
  ports: HubPorts,
  hooks: RuntimeHooks,
): Promise<SessionRuntime> {
  const { session, options, context, origin } = start;
  const { id, model, mode } = session;
  const state = origin?.state ?? initialState({ sessionId: id, model, mode });
  const stored: StoredSession = {
    session,
    state: state as unknown as Json,
    seq: 0,
    options,
    environment: storableEnvironment(context.environment),
    prefixHash: origin?.prefixHash ?? null,
  };
  const { store, clock } = ports.effects;
  const facts = await store.createSession(stored, [{ type: "session_created", session }], clock.now());
  if (origin) {
    const { ledgers } = ports.folders;
    writeLedgerFile(ledgers, id, readLedgerFile(ledgers, origin.from));
  }
  return await startRuntime({ ...stored, seq: facts.at(-1)?.seq ?? 0 }, context, ports, hooks);
}

async function loadRuntime(
  id: SessionId,
  context: ClientContext | undefined,
  ports: HubPorts,
  hooks: RuntimeHooks,
): Promise<SessionRuntime> {
  const stored = await ports.effects.store.loadSession(id);
  if (!stored)
    throw new AppError("not_found", `there is no session ${id}; \`lathe sessions list\` shows them`);
  const runtime = await startRuntime(stored, context ?? null, ports, hooks);
  if (runtime.actor.state.phase.type !== "idle") {
    watchBound(runtime, ports);
    await runtime.actor.submit({ type: "recovered" });
  }
  return runtime;
}

async function startRuntime(
  stored: StoredSession,
  context: ClientContext | null,
  ports: HubPorts,
  hooks: RuntimeHooks,
): Promise<SessionRuntime> {
  const { effects } = ports;
  const { id, cwd } = stored.session;
  const environment = context?.environment ?? stored.environment;
  const settings = await ports.loadSettings(cwd, stored.options, environment);
  let runtime: SessionRuntime | null = null;
  const need = (): SessionRuntime => {
    if (runtime) return runtime;
    throw new AppError("internal", "session used before it was open", { audience: "developer" });
  };
  const actor = new SessionActor(
    { state: stored.state as unknown as EngineState, session: stored.session, seq: stored.seq },
    {
      store: effects.store,
      transition,
      clock: effects.clock,
      ids: effects.ids,
      random: Math.random,
      publish(facts) {
        afterCommit(need(), facts, ports);
        if (facts.some(({ fact }) => fact.type === "turn_finished")) hooks.ended(id);
      },
      startEffect: (effect) => startEffect(effect, need(), effects),
      halted: (error) => hooks.halted(need(), error),
    },
  );
  runtime = await openRuntime(stored, actor, context, settings, ports.folders);
  const grants = await effects.store.grants(id);
  // "Everywhere" grants are rules of the user's file by now: what the user removes there is gone.
  runtime.grants = grants.filter((grant) => grant.scope === "task");
  return runtime;
}

/** Ends what a session runs and removes its temp folder. Never rejects: what could not be ended is logged. */
async function putAway(runtime: SessionRuntime, ports: HubPorts): Promise<void> {
  const { id } = runtime.actor.session;
  await runtime.actor.stop();
  for (const controller of runtime.running.values()) controller.abort();
  keepLedger(runtime, ports);
  try {
    await ports.effects.sandbox.release(id);
    await rm(runtime.place.tmp, { recursive: true, force: true });
  } catch (error) {
    ports.effects.log("error", `session ${id} left something behind: ${errorMessage(error)}`);
  }
}

/** A client that opens a session brings keys and variables; a turn that waited for them goes on. */
async function welcome(runtime: SessionRuntime, context: ClientContext, ports: HubPorts): Promise<void> {
  runtime.credentials = { ...runtime.credentials, ...context.credentials };
  const stored = storableEnvironment(context.environment);
  const changed = !isDeepStrictEqual(stored, storableEnvironment(runtime.environment));
  if (Object.keys(context.environment).length > 0) {
    runtime.environment = context.environment;
    if (changed) await ports.effects.store.setEnvironment(runtime.actor.session.id, stored);
  }
  if (runtime.actor.state.phase.type === "needs_client")
    await runtime.actor.submit({ type: "client_arrived" });
}

import { rm } from "node:fs/promises";
import { initialState } from "../../engine/initial.ts";
import type { EngineState } from "../../engine/state.ts";
import { transition } from "../../engine/transition.ts";
import type { Fact, NumberedFact } from "../../protocol/event.ts";
import type { Json, SessionId } from "../../protocol/ids.ts";
import type { ClientContext } from "../../protocol/rpc.ts";
import type { SessionInfo, SessionOptions } from "../../protocol/session.ts";
import type { StoredSession } from "../../protocol/store-port.ts";
import { AppError } from "../../shared/error.ts";
import type { EffectPorts } from "../effects/effect-ports.ts";
import { startEffect } from "../effects/start-effect.ts";
import { callDone } from "../effects/write-order.ts";
import { openRuntime } from "./open-runtime.ts";
import type { Presence } from "./presence.ts";
import { SessionActor } from "./session-actor.ts";
import type { SessionRuntime, SessionSettings } from "./session-runtime.ts";
import type { Watchers } from "./watchers.ts";

/** What the hub needs beyond the effects' ports. */
export type HubPorts = {
  effects: EffectPorts;
  watchers: Watchers;
  presence: Presence;
  loadSettings(
    cwd: string,
    options: SessionOptions,
    environment: Record<string, string>,
  ): Promise<SessionSettings>;
  folders: { tmpRoot: string; home: string; privateDirs: string[] };
  /** Told whenever a session begins or ends to work. */
  activity(): void;
};

export type Hub = {
  /** Stores a new session and loads it. */
  create(
    session: SessionInfo,
    options: SessionOptions,
    context: ClientContext,
    origin?: { prefixHash: string | null; state: EngineState },
  ): Promise<SessionRuntime>;
  /** The loaded session, loading (and recovering) it if need be; AppError `not_found`. */
  get(id: SessionId, context?: ClientContext): Promise<SessionRuntime>;
  loaded(): SessionRuntime[];
  /** Drops an idle session from memory and removes its temp folder; a working one stays. */
  release(id: SessionId): Promise<boolean>;
  /** Ends everything that runs, for shutdown; stored phases say what to reissue. */
  close(): Promise<void>;
};

export function createHub(ports: HubPorts): Hub {
  const sessions = new Map<SessionId, Promise<SessionRuntime>>();
  const ready = new Map<SessionId, SessionRuntime>();
  const { effects, watchers } = ports;

  const start = async (stored: StoredSession, context: ClientContext | null): Promise<SessionRuntime> => {
    const environment = context?.environment ?? stored.environment;
    const settings = await ports.loadSettings(stored.session.cwd, stored.options, environment);
    let runtime: SessionRuntime | null = null;
    const need = (): SessionRuntime => {
      if (!runtime)
        throw new AppError("internal", "session used before it was open", { audience: "developer" });
      return runtime;
    };
    const actor = new SessionActor(
      { state: stored.state as unknown as EngineState, session: stored.session, seq: stored.seq },
      {
        store: effects.store,
        transition,
        clock: effects.clock,
        ids: effects.ids,
        random: Math.random,
        publish: (facts) => published(need(), facts, ports),
        startEffect: (effect) => startEffect(effect, need(), effects),
        halted: (error) => halted(need(), error),
      },
    );
    runtime = await openRuntime(stored, actor, context, settings, ports.folders);
    runtime.grants = await effects.store.grants(stored.session.id);
    ready.set(stored.session.id, runtime);
    return runtime;
  };

  const halted = (runtime: SessionRuntime, error: Error): void => {
    const { id } = runtime.actor.session;
    effects.log("error", `session ${id} halted: ${error.message}`);
    sessions.delete(id);
    ready.delete(id);
    for (const controller of runtime.running.values()) controller.abort();
    watchers.halted(id, error);
    ports.activity();
  };

  const load = async (id: SessionId, context: ClientContext | null): Promise<SessionRuntime> => {
    const stored = await effects.store.loadSession(id);
    if (!stored)
      throw new AppError("not_found", `there is no session ${id}; \`lathe sessions list\` shows them`);
    const runtime = await start(stored, context);
    if (runtime.actor.state.phase.type !== "idle") await recover(runtime, ports);
    return runtime;
  };

  return {
    async create(session, options, context, origin) {
      const state =
        origin?.state ?? initialState({ sessionId: session.id, model: session.model, mode: session.mode });
      const stored: StoredSession = {
        session,
        state: state as unknown as Json,
        seq: 0,
        options,
        environment: context.environment,
        prefixHash: origin?.prefixHash ?? null,
      };
      const facts: Fact[] = [{ type: "session_created", session }];
      const numbered = await effects.store.createSession(stored, facts, effects.clock.now());
      const opening = start({ ...stored, seq: numbered.at(-1)?.seq ?? 0 }, context);
      sessions.set(session.id, opening);
      return await opening;
    },
    async get(id, context) {
      let opening = sessions.get(id);
      if (!opening) {
        opening = load(id, context ?? null);
        sessions.set(id, opening);
        opening.catch(() => sessions.delete(id));
      }
      const runtime = await opening;
      if (context) await refresh(runtime, context, ports);
      return runtime;
    },
    loaded: () => [...ready.values()],
    async release(id) {
      const runtime = ready.get(id);
      if (!runtime || runtime.actor.busy || watchers.count(id) > 0) return false;
      ready.delete(id);
      sessions.delete(id);
      await effects.sandbox.release(id);
      await rm(runtime.place.tmp, { recursive: true, force: true });
      return true;
    },
    async close() {
      for (const runtime of ready.values()) {
        for (const controller of runtime.running.values()) controller.abort();
        await effects.sandbox.release(runtime.actor.session.id);
        await rm(runtime.place.tmp, { recursive: true, force: true });
      }
      ready.clear();
      sessions.clear();
    },
  };
}

/** After the commit: memory that follows the facts, then the watchers. */
function published(runtime: SessionRuntime, facts: NumberedFact[], ports: HubPorts): void {
  for (const { fact } of facts) {
    if (fact.type === "call_changed" && fact.call.status === "done") callDone(runtime, fact.call.id);
    else if (fact.type === "grant_added") addGrant(runtime, fact.grant, ports);
    else if (fact.type === "session_changed" && fact.mode) {
      runtime.policy.mode = fact.mode === "read-only" ? "read-only" : "workspace-write";
    } else if (fact.type === "session_cleared") {
      runtime.history = [];
      runtime.prefix = null;
      runtime.prefixHash = null;
    } else if (fact.type === "turn_started") watchBound(runtime, ports);
  }
  ports.watchers.facts(runtime.actor.session.id, facts);
  if (facts.some(({ fact }) => fact.type === "turn_started" || fact.type === "turn_finished"))
    ports.activity();
}

function addGrant(runtime: SessionRuntime, grant: SessionRuntime["grants"][number], ports: HubPorts): void {
  runtime.grants.push(grant);
  if (grant.scope !== "everywhere") return;
  ports.effects
    .saveRule(grant)
    .catch((error: unknown) => ports.effects.log("error", `rule not saved: ${String(error)}`));
}

/** The turn of a client that must stay: interrupted when it is gone for longer than the grace. */
function watchBound(runtime: SessionRuntime, ports: HubPorts): void {
  const turn = runtime.actor.state.turn;
  const clientId = turn?.settings.boundTo;
  if (!turn || !clientId) return;
  ports.presence.whenGone(clientId, () => {
    if (runtime.actor.state.turn?.runId === turn.runId) {
      runtime.actor.post({ type: "interrupt", commandId: null, by: "client_gone" });
    }
  });
}

/** Tells the engine that whatever ran is gone, and watches for the client of a bound turn. */
async function recover(runtime: SessionRuntime, ports: HubPorts): Promise<void> {
  watchBound(runtime, ports);
  await runtime.actor.submit({ type: "recovered" });
}

/** A client that opens a session brings keys and settings; a turn that waited for them goes on. */
async function refresh(runtime: SessionRuntime, context: ClientContext, ports: HubPorts): Promise<void> {
  runtime.credentials = { ...runtime.credentials, ...context.credentials };
  if (Object.keys(context.environment).length > 0) {
    runtime.environment = context.environment;
    await ports.effects.store.setEnvironment(runtime.actor.session.id, context.environment);
  }
  if (runtime.actor.state.phase.type === "needs_client")
    await runtime.actor.submit({ type: "client_arrived" });
}

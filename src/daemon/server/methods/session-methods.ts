import type { SandboxState } from "../../../protocol/ports.ts";
import type { SessionSnapshot } from "../../../protocol/session.ts";
import { AppError } from "../../../shared/error.ts";
import { toolNames } from "../../../tools/registry.ts";
import { callableSkills, sessionSkills } from "../../effects/skill-access.ts";
import { createSession } from "../../sessions/create-session.ts";
import type { SessionRuntime } from "../../sessions/session-runtime.ts";
import type { Connection, Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type SessionMethods = Pick<Handlers, "session.create" | "session.open" | "session.close">;

const HISTORY_ON_OPEN = 500;
/** A client that missed more pages on by `session.facts`. */
const FACTS_ON_OPEN = 2000;

/** Methods by which a client comes to a session and leaves it. */
export function sessionMethods(ports: MethodPorts): SessionMethods {
  const { hub, effects } = ports;
  return {
    "session.create": (params) => createSession(params, hub, ports),

    "session.open": async (params, connection) => {
      const { sessionId, afterSeq, history, context } = params;
      const runtime = await hub.get(sessionId);
      if (context) await hub.get(sessionId, ports.lend(context, runtime.place.cwd));
      follow(connection, sessionId, ports, params.deltas !== false);
      const facts =
        afterSeq === undefined
          ? await effects.store.factsBefore(sessionId, runtime.actor.seq + 1, history ?? HISTORY_ON_OPEN)
          : await effects.store.factsAfter(sessionId, afterSeq, FACTS_ON_OPEN);
      const first = facts[0]?.seq ?? runtime.actor.seq + 1;
      const approvals = await effects.store.approvals({ sessionId, open: true });
      const sandbox: SandboxState =
        runtime.options.sandbox === "none" ? { type: "off", reason: "flag" } : await effects.sandbox.probe();
      const skills = await sessionSkills(runtime, effects);
      return {
        snapshot: snapshotOf(runtime, { approvals, sandbox, skills: callableSkills(skills) }),
        facts,
        hasEarlier: afterSeq === undefined && first > 1,
      };
    },

    "session.close": async ({ sessionId }, connection) => {
      ports.watchers.remove(sessionId, connection.id);
      await hub.release(sessionId);
      return {};
    },
  };
}

/** Subscribes a connection: facts in order, deltas as they come, unless it wants none. */
function follow(connection: Connection, sessionId: string, ports: MethodPorts, deltas: boolean): void {
  ports.watchers.add(sessionId, {
    id: connection.id,
    fact: (id, fact) => connection.notify("session.fact", { sessionId: id, ...fact }),
    delta(id, delta) {
      if (deltas) connection.notify("session.delta", { sessionId: id, delta });
    },
    halted: (id, error) =>
      connection.notify("session.halted", {
        sessionId: id,
        code: error instanceof AppError ? error.code : "internal",
        message: error.message,
      }),
  });
}

/** Taken in the tick the handler returns, so that nothing falls between it and the first notification. */
function snapshotOf(
  runtime: SessionRuntime,
  parts: Pick<SessionSnapshot, "approvals" | "sandbox" | "skills">,
): SessionSnapshot {
  const { actor } = runtime;
  const { state } = actor;
  return {
    session: actor.session,
    seq: actor.seq,
    phase: state.phase.type,
    runId: state.turn?.runId ?? null,
    calls: state.calls,
    queue: state.queue.map(({ id, delivery, text, at }) => ({ id, delivery, text, at })),
    ...parts,
    ...(state.todos ? { todos: [...state.todos] } : {}),
    tools: runtime.options.tools ?? toolNames(),
    streaming: runtime.streaming,
  };
}

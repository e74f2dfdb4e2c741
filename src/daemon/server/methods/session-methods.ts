import type { Input } from "../../../engine/input.ts";
import type { Json } from "../../../protocol/ids.ts";
import type { Approval, Grant } from "../../../protocol/permission.ts";
import type { SandboxState } from "../../../protocol/ports.ts";
import type { Methods } from "../../../protocol/rpc.ts";
import type { Limits, SessionSnapshot } from "../../../protocol/session.ts";
import { AppError } from "../../../shared/error.ts";
import { toolNames } from "../../../tools/registry.ts";
import { createSession } from "../../sessions/create-session.ts";
import { promptContent } from "../../sessions/prompt-content.ts";
import type { SessionRuntime } from "../../sessions/session-runtime.ts";
import type { Connection, Handlers } from "../handlers.ts";
import type { MethodPorts } from "./method-ports.ts";

type SessionMethods = Pick<
  Handlers,
  | "session.create"
  | "session.open"
  | "session.close"
  | "session.prompt"
  | "session.unqueue"
  | "session.interrupt"
  | "session.answer"
  | "session.update"
  | "session.clear"
>;

const HISTORY_ON_OPEN = 500;
/** A client that missed more pages on by `session.facts`. */
const FACTS_ON_OPEN = 2000;

/** Methods that act on one live session. Each is one input to its actor. */
export function sessionMethods(ports: MethodPorts): SessionMethods {
  const { hub, effects } = ports;

  /** Submits a client's command; a repeat is answered, not carried out again. */
  const command = async (runtime: SessionRuntime, id: string, input: Input, answer: Json): Promise<Json> => {
    const before = await effects.store.commandAnswer(runtime.actor.session.id, id);
    if (before !== undefined) return before;
    await runtime.actor.submit(input, { id, answer });
    return answer;
  };

  return {
    "session.create": (params) => {
      ports.hideSecrets(Object.values(params.context.credentials));
      return createSession(params, hub, ports);
    },

    "session.open": async (params, connection) => {
      ports.hideSecrets(Object.values(params.context?.credentials ?? {}));
      const runtime = await hub.get(params.sessionId, params.context);
      follow(connection, params.sessionId, ports);
      const facts =
        params.afterSeq === undefined
          ? await effects.store.factsBefore(
              params.sessionId,
              runtime.actor.seq + 1,
              params.history ?? HISTORY_ON_OPEN,
            )
          : await effects.store.factsAfter(params.sessionId, params.afterSeq, FACTS_ON_OPEN);
      const first = facts[0]?.seq ?? 1;
      const approvals = await effects.store.approvals({ sessionId: params.sessionId, open: true });
      const sandbox: SandboxState =
        runtime.options.sandbox === "none" ? { type: "off", reason: "flag" } : await effects.sandbox.probe();
      return {
        snapshot: snapshotOf(runtime, approvals, sandbox),
        facts,
        hasEarlier: params.afterSeq === undefined && first > 1,
      };
    },

    "session.close": async (params, connection) => {
      ports.watchers.remove(params.sessionId, connection.id);
      await hub.release(params.sessionId);
      return {};
    },

    "session.prompt": async (params, connection) => {
      const runtime = await hub.get(params.sessionId);
      const before = await effects.store.commandAnswer(params.sessionId, params.commandId);
      if (before !== undefined) return before as Methods["session.prompt"]["result"];
      await ports.refreshSettings(runtime);
      const content = await promptContent(params.content, runtime, effects);
      const queued = runtime.actor.state.phase.type !== "idle";
      const answer = { accepted: true as const, queued, seq: runtime.actor.seq + 1 };
      await runtime.actor.submit(
        {
          type: "prompt",
          commandId: params.commandId,
          promptId: effects.ids.next(),
          content,
          delivery: params.delivery ?? "steer",
          settings: {
            interactive: params.interactive,
            boundTo: params.boundToClient ? clientIdOf(connection) : null,
            limits: limitsOf(runtime, params.limits),
          },
        },
        { id: params.commandId, answer },
      );
      return answer;
    },

    "session.unqueue": async (params) => {
      const runtime = await hub.get(params.sessionId);
      const waiting = runtime.actor.state.queue.find((prompt) => prompt.id === params.promptId);
      await runtime.actor.submit({ type: "unqueue", commandId: params.commandId, promptId: params.promptId });
      return { removed: waiting !== undefined, text: waiting?.text ?? "" };
    },

    "session.interrupt": async (params) => {
      const runtime = await hub.get(params.sessionId);
      const interrupted = runtime.actor.state.phase.type !== "idle";
      await runtime.actor.submit({ type: "interrupt", commandId: params.commandId, by: params.by });
      return { interrupted };
    },

    "session.answer": async (params, connection) => {
      const runtime = await hub.get(params.sessionId);
      const repeated = await effects.store.commandAnswer(params.sessionId, params.commandId);
      if (repeated !== undefined) return repeated as { accepted: boolean };
      const open = await effects.store.approvals({ sessionId: params.sessionId, open: true });
      const approval = open.find((row) => row.id === params.approvalId);
      if (!approval) return { accepted: false };
      const answer = { accepted: true };
      const by = connection.client.name;
      const { facts } = await runtime.actor.submit(answerInput(params, approval, runtime, by, ports), {
        id: params.commandId,
        answer,
      });
      // Another answer may have been handled in between: then this one changed nothing.
      return { accepted: facts.length > 0 };
    },

    "session.update": async (params) => {
      const runtime = await hub.get(params.sessionId);
      const model = params.model === undefined ? undefined : ports.modelId(params.model, runtime);
      await command(
        runtime,
        params.commandId,
        {
          type: "settings_changed",
          commandId: params.commandId,
          model,
          mode: params.mode,
          title: params.title,
        },
        {},
      );
      return { session: runtime.actor.session };
    },

    "session.clear": async (params) => {
      const runtime = await hub.get(params.sessionId);
      if (runtime.actor.state.phase.type !== "idle") {
        throw new AppError("busy", "the session is working; interrupt it before clearing");
      }
      await command(runtime, params.commandId, { type: "cleared", commandId: params.commandId }, {});
      return {};
    },
  };
}

/** Subscribes a connection: facts in order, deltas as they come. */
function follow(connection: Connection, sessionId: string, ports: MethodPorts): void {
  ports.watchers.add(sessionId, {
    id: connection.id,
    fact: (id, fact) => connection.notify("session.fact", { sessionId: id, ...fact }),
    delta: (id, delta) => connection.notify("session.delta", { sessionId: id, delta }),
    halted: (id, error) =>
      connection.notify("session.halted", {
        sessionId: id,
        code: error instanceof AppError ? error.code : "internal",
        message: error.message,
      }),
  });
}

const clientIdOf = (connection: Connection): string => connection.client.id ?? connection.id;

/** Taken in the tick the handler returns, so that nothing falls between it and the first notification. */
function snapshotOf(runtime: SessionRuntime, approvals: Approval[], sandbox: SandboxState): SessionSnapshot {
  const { actor } = runtime;
  const { state } = actor;
  return {
    session: actor.session,
    seq: actor.seq,
    phase: state.phase.type,
    runId: state.turn?.runId ?? null,
    calls: state.calls,
    queue: state.queue.map(({ id, delivery, text, at }) => ({ id, delivery, text, at })),
    approvals,
    tools: runtime.options.tools ?? toolNames(),
    sandbox,
    streaming: runtime.streaming,
  };
}

function limitsOf(runtime: SessionRuntime, asked: Partial<Limits> | undefined): Limits {
  return { ...runtime.settings.config.limits, ...asked };
}

function answerInput(
  params: Methods["session.answer"]["params"],
  approval: Approval,
  runtime: SessionRuntime,
  by: string,
  ports: MethodPorts,
): Extract<Input, { type: "approval_answered" }> {
  const now = ports.effects.clock.now();
  const { answer } = params;
  const lasting =
    answer.type === "allow" && answer.scope !== "once" && !approval.onceOnly ? answer.scope : null;
  const grants: Grant[] =
    lasting === null
      ? []
      : approval.suggestions.map((rule) => ({
          rule: {
            ...rule,
            scope: lasting === "everywhere" ? ("user" as const) : ("session" as const),
            source: `approval ${approval.id}`,
          },
          scope: lasting,
          grantedAt: now,
          by,
        }));
  return {
    type: "approval_answered",
    commandId: params.commandId,
    approval,
    answer,
    by,
    grants,
    audit: {
      sessionId: runtime.actor.session.id,
      runId: approval.runId,
      callId: approval.callId,
      tool: approval.tool,
      decision: answer.type === "allow" ? "approved" : "refused",
      layer: "grant",
      rule: grants[0]?.rule.match ?? null,
      source: approval.id,
      by,
      reason:
        answer.type === "deny"
          ? (answer.message ?? "the user said no")
          : `the user answered (${answer.type})`,
      at: now,
    },
  };
}

import type { Methods } from "../../../protocol/rpc.ts";
import type { Limits } from "../../../protocol/session.ts";
import { AppError } from "../../../shared/error.ts";
import { findModel } from "../../effects/find-model.ts";
import { sessionPrefix } from "../../effects/session-prefix.ts";
import { requireKey } from "../../sessions/choose-model.ts";
import { promptContent } from "../../sessions/prompt-content.ts";
import { takeSettings } from "../../sessions/session-policy.ts";
import type { SessionRuntime } from "../../sessions/session-runtime.ts";
import type { Connection, Handlers } from "../handlers.ts";
import { answerInput } from "./answer-input.ts";
import type { MethodPorts } from "./method-ports.ts";

type CommandMethods = Pick<
  Handlers,
  | "session.prompt"
  | "session.unqueue"
  | "session.interrupt"
  | "session.answer"
  | "session.update"
  | "session.clear"
>;

/** A client's commands to one session: each is one input to its actor, and carried out once. */
export function commandMethods(ports: MethodPorts): CommandMethods {
  const { hub } = ports;
  return {
    "session.prompt": (params, connection) => prompt(params, connection, ports),

    "session.unqueue": async ({ sessionId, commandId, promptId }) => {
      const { actor } = await hub.get(sessionId);
      const { answer } = await actor.submit(
        { type: "unqueue", commandId, promptId },
        {
          id: commandId,
          answer: ({ state }) => {
            const waiting = state.queue.find((one) => one.id === promptId);
            return { removed: waiting !== undefined, text: waiting?.text ?? "" };
          },
        },
      );
      return answer as Methods["session.unqueue"]["result"];
    },

    "session.interrupt": async ({ sessionId, commandId, by }) => {
      const { actor } = await hub.get(sessionId);
      const { answer } = await actor.submit(
        { type: "interrupt", commandId, by },
        { id: commandId, answer: ({ state }) => ({ interrupted: state.phase.type !== "idle" }) },
      );
      return answer as Methods["session.interrupt"]["result"];
    },

    "session.answer": (params, connection) => answerApproval(params, connection, ports),

    "session.update": (params) => update(params, ports),

    "session.clear": async ({ sessionId, commandId }) => {
      const runtime = await hub.get(sessionId);
      if (runtime.actor.state.phase.type !== "idle") {
        throw new AppError("busy", "the session is working; interrupt it before clearing");
      }
      await runtime.actor.submit({ type: "cleared", commandId }, { id: commandId, answer: () => ({}) });
      // Pinned now, so that a restart before the next prompt does not bring back the prefix of before.
      await sessionPrefix(runtime, ports.effects);
      return {};
    },
  };
}

async function prompt(
  params: Methods["session.prompt"]["params"],
  connection: Connection,
  ports: MethodPorts,
): Promise<Methods["session.prompt"]["result"]> {
  const { sessionId, commandId, delivery, interactive, boundToClient } = params;
  const runtime = await ports.hub.get(sessionId);
  await ports.refreshSettings(runtime);
  const model = findModel(runtime.actor.state.model, runtime);
  if (model.ok) requireKey(model.value, runtime.credentials);
  const content = await promptContent(params.content, runtime, ports.effects);
  const promptId = ports.ids.next();
  const settings = {
    interactive,
    boundTo: boundToClient ? clientIdOf(connection) : null,
    limits: limitsOf(runtime, params.limits),
  };
  const { answer } = await runtime.actor.submit(
    { type: "prompt", commandId, promptId, content, delivery: delivery ?? "steer", settings },
    {
      id: commandId,
      answer: ({ state, seq }) => ({
        accepted: true,
        queued: state.phase.type !== "idle",
        seq: seq + 1,
        promptId,
      }),
    },
  );
  return answer as Methods["session.prompt"]["result"];
}

async function answerApproval(
  { sessionId, commandId, approvalId, answer }: Methods["session.answer"]["params"],
  connection: Connection,
  ports: MethodPorts,
): Promise<Methods["session.answer"]["result"]> {
  const { store, clock } = ports.effects;
  const { actor } = await ports.hub.get(sessionId);
  const open = await store.approvals({ sessionId, open: true });
  const approval = open.find((row) => row.id === approvalId);
  if (!approval) {
    const repeated = await store.commandAnswer(sessionId, commandId);
    return repeated === undefined ? { accepted: false } : (repeated as { accepted: boolean });
  }
  const by = connection.client.name;
  const handled = await actor.submit(answerInput(approval, { commandId, answer, by, at: clock.now() }), {
    id: commandId,
    // Another answer may have come first: then this one changes nothing.
    answer: (_, facts) => ({ accepted: facts.length > 0 }),
  });
  return handled.answer as Methods["session.answer"]["result"];
}

async function update(
  params: Methods["session.update"]["params"],
  ports: MethodPorts,
): Promise<Methods["session.update"]["result"]> {
  const { sessionId, commandId, mode, title } = params;
  const runtime = await ports.hub.get(sessionId);
  const model = params.model === undefined ? undefined : ports.modelId(params.model, runtime);
  await takeFlagRules(params, runtime, ports);
  await runtime.actor.submit(
    { type: "settings_changed", commandId, model, mode, title },
    { id: commandId, answer: () => ({}) },
  );
  return { session: runtime.actor.session };
}

/** Rules by flag replace those that the session was opened with; AppError `bad_input` for one that is none. */
async function takeFlagRules(
  { allowedTools, disallowedTools }: Methods["session.update"]["params"],
  runtime: SessionRuntime,
  ports: MethodPorts,
): Promise<void> {
  if (allowedTools === undefined && disallowedTools === undefined) return;
  const options = {
    ...runtime.options,
    allowedTools: allowedTools ?? runtime.options.allowedTools,
    disallowedTools: disallowedTools ?? runtime.options.disallowedTools,
  };
  const settings = await ports.loadSettings(runtime.place.cwd, options, runtime.environment);
  await ports.effects.store.setOptions(runtime.actor.session.id, options);
  runtime.options = options;
  takeSettings(runtime, settings, ports.folders.privateDirs);
}

const clientIdOf = (connection: Connection): string => connection.client.id ?? connection.id;

function limitsOf(runtime: SessionRuntime, asked: Partial<Limits> | undefined): Limits {
  return { ...runtime.settings.config.limits, ...asked };
}

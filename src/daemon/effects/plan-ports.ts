import type { TaskPort, TodoItem, TodoPort } from "../../protocol/plans.ts";
import { errorMessage } from "../../shared/error.ts";
import { projectOf } from "../ports/project.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** The session's checklist: read from its state, changed by a fact that is stored with the result of the call. */
export function todoAccess({ facts }: Attempt, runtime: SessionRuntime): TodoPort {
  return {
    get(): readonly TodoItem[] {
      const changed = facts.findLast((fact) => fact.type === "todos_changed");
      return changed?.type === "todos_changed" ? changed.items : (runtime.actor.state.todos ?? []);
    },
    replace: (items) => void facts.push({ type: "todos_changed", items: [...items] }),
  };
}

/** The tasks of the project that the session's first root belongs to. */
export function taskAccess(runtime: SessionRuntime, { store }: EffectPorts): TaskPort {
  const project = () => projectOf(runtime.place.roots[0] ?? runtime.place.cwd);
  return {
    create: (task) =>
      reported(async () => ({ ok: true, value: await store.createTask(await project(), task) })),
    update: (id, change) => reported(async () => store.updateTask(await project(), id, change)),
    get: (id) => reported(async () => store.task(await project(), id)),
    list: () => reported(async () => ({ ok: true, value: await store.tasks(await project()) })),
  };
}

/** A broken disk or database is an answer to the model, not the end of the turn. */
async function reported<T>(work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    return { ok: false, error: { code: "io", message: errorMessage(error) } };
  }
}

type Failed = { ok: false; error: { code: "io"; message: string } };

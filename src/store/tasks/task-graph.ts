import type { Task, TaskChange } from "../../protocol/plans.ts";
import type { Result } from "../../protocol/ports.ts";

/** The tasks of one project by id. Changed in place; what a change touched is in `changed`. */
export type TaskGraph = { tasks: Map<number, Task>; changed: Set<number> };

export function graphOf(tasks: readonly Task[]): TaskGraph {
  return { tasks: new Map(tasks.map((task) => [task.id, task])), changed: new Set() };
}

const ok = <T>(value: T): Result<T> => ({ ok: true, value });
const refused = (code: "not_found" | "invalid", message: string) => ({
  ok: false as const,
  error: { code, message },
});

/** The task, or that there is none. */
export function findTask(graph: TaskGraph, id: number): Result<Task> {
  const task = graph.tasks.get(id);
  return task ? ok(task) : refused("not_found", `Task ${id} not found.`);
}

/** Carries out a change, whole or not at all. */
export function changeTask(graph: TaskGraph, id: number, change: TaskChange): Result<Task> {
  const found = findTask(graph, id);
  if (!found.ok) return found;
  const edges = [
    ...(change.addBlockedBy ?? []).map((blocker): Edge => [blocker, id]),
    ...(change.addBlocks ?? []).map((blocked): Edge => [id, blocked]),
  ];
  const before = new Map([...graph.tasks].map(([known, task]) => [known, structuredClone(task)]));
  for (const edge of edges) {
    const added = addEdge(graph, edge);
    if (added.ok) continue;
    graph.tasks = before;
    graph.changed.clear();
    return added;
  }
  if (change.owner !== undefined) found.value.owner = change.owner;
  if (change.status !== undefined) setStatus(graph, found.value, change.status);
  graph.changed.add(id);
  return found;
}

/** Blocker and blocked. */
type Edge = readonly [number, number];

/** Writes an edge on both sides, once. Refused when a task is missing, or would come to wait for itself. */
export function addEdge(graph: TaskGraph, [blocker, blocked]: Edge): Result<null> {
  const before = findTask(graph, blocker);
  if (!before.ok) return before;
  const after = findTask(graph, blocked);
  if (!after.ok) return after;
  if (blocker === blocked) return refused("invalid", `Task ${blocker} cannot depend on itself.`);
  const path = pathBetween(graph, blocked, blocker);
  if (path !== null) {
    const circle = [blocker, ...path].join(" -> ");
    return refused("invalid", `Task ${blocked} cannot wait for task ${blocker}: cycle ${circle}.`);
  }
  link(graph, before.value, after.value);
  return ok(null);
}

function link(graph: TaskGraph, blocker: Task, blocked: Task): void {
  if (!blocker.blocks.includes(blocked.id)) blocker.blocks = sorted([...blocker.blocks, blocked.id]);
  const waits = blocker.status !== "completed" && !blocked.blockedBy.includes(blocker.id);
  if (waits) blocked.blockedBy = sorted([...blocked.blockedBy, blocker.id]);
  graph.changed.add(blocker.id).add(blocked.id);
}

/** A completed task holds nobody up any more; one that is taken up again does. */
function setStatus(graph: TaskGraph, task: Task, status: Task["status"]): void {
  task.status = status;
  for (const id of task.blocks) {
    const blocked = graph.tasks.get(id);
    if (blocked && status !== "completed") link(graph, task, blocked);
  }
  if (status === "completed") cascade(graph);
}

/** Ids from one task to another along `blocks`; null when there is no way. */
function pathBetween(graph: TaskGraph, from: number, to: number): number[] | null {
  const cameFrom = new Map<number, number | null>([[from, null]]);
  const waiting = [from];
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (id === to) return walkBack(cameFrom, to);
    for (const next of graph.tasks.get(id)?.blocks ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      waiting.push(next);
    }
  }
  return null;
}

function walkBack(cameFrom: ReadonlyMap<number, number | null>, to: number): number[] {
  const path: number[] = [];
  for (let id: number | null | undefined = to; id != null; id = cameFrom.get(id)) path.unshift(id);
  return path;
}

/**
 * Makes the edges whole again: nobody waits for a task that is completed or gone, and both sides tell the same.
 * It does what completing a task does to the others, also when that was cut short.
 */
export function cascade(graph: TaskGraph): void {
  for (const task of graph.tasks.values()) {
    const blockedBy = task.blockedBy.filter(
      (id) => (graph.tasks.get(id)?.status ?? "completed") !== "completed",
    );
    const blocks = task.blocks.filter((id) => graph.tasks.has(id));
    if (blockedBy.length === task.blockedBy.length && blocks.length === task.blocks.length) continue;
    Object.assign(task, { blockedBy, blocks });
    graph.changed.add(task.id);
  }
}

/** Takes a task out, and its id out of all others. */
export function removeTask(graph: TaskGraph, id: number): boolean {
  if (!graph.tasks.delete(id)) return false;
  cascade(graph);
  return true;
}

/** Adds tasks from elsewhere with their ids; edges that cannot be are left out and named. */
export function importTasks(
  graph: TaskGraph,
  given: readonly Task[],
  replace: boolean,
): { imported: number[]; notes: string[] } {
  const notes: string[] = [];
  const taken = given.filter((task, index) => {
    const twice = given.findIndex((other) => other.id === task.id) < index;
    const known = graph.tasks.has(task.id) && !replace;
    if (twice) notes.push(`task ${task.id} comes twice; the first is used`);
    else if (known) notes.push(`task ${task.id} exists already; --replace overwrites it`);
    return !twice && !known;
  });
  for (const task of taken) removeTask(graph, task.id);
  for (const task of taken) {
    graph.tasks.set(task.id, { ...task, blockedBy: [], blocks: [] });
    graph.changed.add(task.id);
  }
  for (const { id, blockedBy, blocks } of taken) {
    const edges: Edge[] = [
      ...blockedBy.map((blocker): Edge => [blocker, id]),
      ...blocks.map((blocked): Edge => [id, blocked]),
    ];
    for (const edge of edges) {
      const added = addEdge(graph, edge);
      if (!added.ok)
        notes.push(`task ${id}: ${edge[0]} before ${edge[1]} is left out. ${added.error.message}`);
    }
  }
  return { imported: sorted(taken.map((task) => task.id)), notes };
}

const sorted = (ids: number[]): number[] => ids.sort((a, b) => a - b);

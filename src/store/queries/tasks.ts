import type { Task, TaskChange, TaskImport } from "../../protocol/plans.ts";
import type { Result } from "../../protocol/ports.ts";
import type { Database } from "../adapter.ts";
import {
  cascade,
  changeTask,
  findTask,
  graphOf,
  importTasks as importInto,
  removeTask,
  type TaskGraph,
} from "../tasks/task-graph.ts";

/** Each of these runs inside one write transaction. */

/** The tasks of a project, sorted by id; what a completion left half done is finished first. */
export function tasksOf(db: Database, project: string): Task[] {
  return [...load(db, project).tasks.values()];
}

export function taskById(db: Database, project: string, id: number): Result<Task> {
  return findTask(load(db, project), id);
}

export function createTask(
  db: Database,
  project: string,
  given: { subject: string; description: string },
): Task {
  const id = lastId(db, project) + 1;
  const task: Task = { id, ...given, status: "pending", blockedBy: [], blocks: [], owner: "" };
  setLastId(db, project, id);
  put(db, project, task);
  return task;
}

export function updateTask(db: Database, project: string, id: number, change: TaskChange): Result<Task> {
  const graph = load(db, project);
  const changed = changeTask(graph, id, change);
  if (changed.ok) save(db, project, graph);
  return changed;
}

export function deleteTask(db: Database, project: string, id: number): boolean {
  const graph = load(db, project);
  const removed = removeTask(graph, id);
  if (removed) {
    db.run("DELETE FROM tasks WHERE project = ? AND id = ?", project, id);
    save(db, project, graph);
  }
  return removed;
}

export function importTasks(
  db: Database,
  project: string,
  given: readonly Task[],
  replace: boolean,
): TaskImport {
  const graph = load(db, project);
  const outcome = importInto(graph, given, replace);
  save(db, project, graph);
  setLastId(db, project, Math.max(lastId(db, project), ...outcome.imported));
  return outcome;
}

function load(db: Database, project: string): TaskGraph {
  const rows = db.all<{ json: string }>("SELECT json FROM tasks WHERE project = ? ORDER BY id", project);
  const graph = graphOf(rows.map((row) => JSON.parse(row.json) as Task));
  cascade(graph);
  save(db, project, graph);
  graph.changed.clear();
  return graph;
}

function save(db: Database, project: string, graph: TaskGraph): void {
  for (const id of graph.changed) {
    const task = graph.tasks.get(id);
    if (task) put(db, project, task);
  }
}

function put(db: Database, project: string, task: Task): void {
  db.run(
    "INSERT INTO tasks (project, id, json) VALUES (?, ?, ?) ON CONFLICT (project, id) DO UPDATE SET json = excluded.json",
    project,
    task.id,
    JSON.stringify(task),
  );
}

function lastId(db: Database, project: string): number {
  return db.get<{ last: number }>("SELECT last FROM task_counters WHERE project = ?", project)?.last ?? 0;
}

function setLastId(db: Database, project: string, last: number): void {
  db.run(
    "INSERT INTO task_counters (project, last) VALUES (?, ?) ON CONFLICT (project) DO UPDATE SET last = excluded.last",
    project,
    last,
  );
}

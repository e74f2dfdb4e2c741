import { basename } from "node:path";
import { ruleText } from "../../config/user-rules.ts";
import type { FactList } from "../../context/compaction/summary-message.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { taskAccess } from "./plan-ports.ts";

const MAX_TASKS = 40;

/** What a compaction tells beside the user's words and the changed files (CONTRACT 1.22 #19). */
export async function keptLists(runtime: SessionRuntime, ports: EffectPorts): Promise<FactList[]> {
  const { todos = [], skillFolders = [] } = runtime.actor.state;
  return [
    { title: "Granted by the user", lines: runtime.grants.map(({ rule }) => ruleText(rule)) },
    { title: "Todos", lines: todos.map(({ id, text, status }) => `${id} (${status}): ${text}`) },
    { title: "Open tasks of the project", lines: await openTasks(runtime, ports) },
    {
      title: "Skills in use (load_skill reads them again)",
      lines: skillFolders.map((folder) => basename(folder)),
    },
  ];
}

/** None when they cannot be read: a compaction must not fail on that. */
async function openTasks(runtime: SessionRuntime, ports: EffectPorts): Promise<string[]> {
  const tasks = await taskAccess(runtime, ports).list();
  if (!tasks.ok) return [];
  const open = tasks.value.filter((task) => task.status !== "completed");
  const lines = open.slice(0, MAX_TASKS).map(({ id, subject, status }) => `#${id} (${status}): ${subject}`);
  return open.length > lines.length ? [...lines, `and ${open.length - lines.length} more: task_list`] : lines;
}

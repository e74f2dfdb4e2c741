import type { Task } from "../../protocol/plans.ts";
import type { Result } from "../../protocol/ports.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { MARKS } from "../support/plan-status.ts";

/** The stored task as a result, or the refusal. */
export function taskOutput(result: Result<Task>): ToolOutput {
  return result.ok ? textOutput(taskJson(result.value)) : portFailure(result.error);
}

/** One task as JSON with sorted keys, as exports have it. */
function taskJson(task: Task): string {
  return JSON.stringify(task, Object.keys(task).sort(), 2);
}

/** One line for each task. */
export function taskLines(tasks: readonly Task[]): string {
  if (tasks.length === 0) return "No tasks.";
  return tasks.map(line).join("\n");
}

function line({ id, subject, status, blockedBy, owner }: Task): string {
  const notes = owner === "" ? "" : ` @${owner}`;
  const blocked = blockedBy.length === 0 ? "" : ` (blocked by: ${blockedBy.join(", ")})`;
  return `${MARKS[status]} ${id}: ${subject.replace(/\s+/g, " ")}${notes}${blocked}`;
}

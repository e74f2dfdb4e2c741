import type { TodoStatus } from "../../protocol/plans.ts";

/** Statuses of todos and tasks, as models write them. */
export const STATUSES = ["pending", "in_progress", "completed"] as const satisfies readonly TodoStatus[];

/** How a status is drawn in lists. */
export const MARKS: Record<TodoStatus, string> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

import { defineTool } from "../define.ts";
import { STATUSES } from "../support/plan-status.ts";
import { taskOutput } from "./task-text.ts";
import description from "./task-update.md";

/** Changes status, owner or edges of a task, all or nothing. */
export const taskUpdateTool = defineTool({
  name: "task_update",
  aliases: [],
  description,
  parameters: {
    task_id: { type: "integer", required: true, aliases: ["id"] },
    status: { type: "string", choices: STATUSES },
    owner: { type: "string" },
    add_blocked_by: { type: "array", items: { type: "integer" } },
    add_blocks: { type: "array", items: { type: "integer" } },
  },
  effect: "none",
  parallel: false,
  actions: () => [{ type: "session_state" }],
  async run({ task_id, status, owner, add_blocked_by, add_blocks }, context) {
    const change = { status, owner: owner?.trim(), addBlockedBy: add_blocked_by, addBlocks: add_blocks };
    return taskOutput(await context.tasks.update(task_id, change));
  },
});

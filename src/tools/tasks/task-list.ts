import { defineTool } from "../define.ts";
import { portFailure, textOutput } from "../support/output.ts";
import description from "./task-list.md";
import { taskLines } from "./task-text.ts";

/** Lists the project's tasks, one line each. */
export const taskListTool = defineTool({
  name: "task_list",
  aliases: [],
  description,
  parameters: {},
  effect: "none",
  parallel: true,
  actions: () => [{ type: "session_state" }],
  async run(_input, context) {
    const tasks = await context.tasks.list();
    return tasks.ok ? textOutput(taskLines(tasks.value)) : portFailure(tasks.error);
  },
});

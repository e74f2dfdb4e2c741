import { defineTool } from "../define.ts";
import description from "./task-get.md";
import { taskOutput } from "./task-text.ts";

/** Shows one task whole. */
export const taskGetTool = defineTool({
  name: "task_get",
  aliases: [],
  description,
  parameters: { task_id: { type: "integer", required: true, aliases: ["id"] } },
  effect: "none",
  parallel: true,
  actions: () => [{ type: "session_state" }],
  async run({ task_id }, context) {
    return taskOutput(await context.tasks.get(task_id));
  },
});

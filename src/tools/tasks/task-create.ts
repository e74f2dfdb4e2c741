import { defineTool } from "../define.ts";
import { errorOutput } from "../support/output.ts";
import description from "./task-create.md";
import { taskOutput } from "./task-text.ts";

/** Adds a task to the project's graph. */
export const taskCreateTool = defineTool({
  name: "task_create",
  aliases: [],
  description,
  parameters: {
    subject: { type: "string", required: true, aliases: ["title"] },
    description: { type: "string" },
  },
  effect: "none",
  parallel: false,
  actions: () => [{ type: "session_state" }],
  async run({ subject, description: details = "" }, context) {
    if (subject.trim() === "") return errorOutput("Error: the subject is blank.");
    return taskOutput(await context.tasks.create({ subject: subject.trim(), description: details }));
  },
});

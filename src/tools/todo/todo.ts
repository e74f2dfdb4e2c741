import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { TodoItem } from "../../protocol/plans.ts";
import { defineTool } from "../define.ts";
import { errorOutput, textOutput } from "../support/output.ts";
import { MARKS, STATUSES } from "../support/plan-status.ts";
import description from "./todo.md";

const MAX_ITEMS = 20;

/** Replaces the session's checklist; on an error the old one stays. */
export const todoTool = defineTool({
  name: "todo",
  aliases: ["todo_write", "write_todos", "update_plan"],
  description,
  parameters: {
    items: {
      type: "array",
      required: true,
      aliases: ["todos"],
      items: {
        type: "object",
        properties: {
          id: { type: "string", required: true },
          text: { type: "string", required: true, aliases: ["content", "task"] },
          status: { type: "string", required: true, choices: STATUSES },
        },
      },
    },
  },
  effect: "none",
  parallel: false,
  prepare: numbered,
  actions: () => [{ type: "session_state" }],
  async run({ items }, context) {
    const clean = items.map((item) => ({ ...item, text: item.text.trim() }));
    const problem = problemOf(clean);
    if (problem !== null) return errorOutput(`Error: ${problem} The list was not changed.`);
    context.todos.replace(clean);
    return textOutput(render(clean));
  },
});

/** Lists in the shape of other agents (`todos` of `content`) have no ids: they get their numbers. */
function numbered(input: JsonObject): JsonObject {
  const { todos } = input;
  if (input.items !== undefined || !Array.isArray(todos)) return input;
  const items = todos.map((item: Json, index) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? { id: String(index + 1), ...item }
      : item,
  );
  return { items };
}

function problemOf(items: readonly TodoItem[]): string | null {
  if (items.length > MAX_ITEMS) return `At most ${MAX_ITEMS} todos are allowed, not ${items.length}.`;
  const blank = items.find((item) => item.text === "");
  if (blank) return `The text of item '${blank.id}' is blank.`;
  const working = items.filter((item) => item.status === "in_progress");
  if (working.length < 2) return null;
  return `Only one item can be in_progress at a time, not ${working.map((item) => `'${item.id}'`).join(" and ")}.`;
}

function render(items: readonly TodoItem[]): string {
  if (items.length === 0) return "No todos.";
  const done = items.filter((item) => item.status === "completed").length;
  const lines = items.map((item) => `${MARKS[item.status]} ${item.text}`);
  return [...lines, `(${done}/${items.length} completed)`].join("\n");
}

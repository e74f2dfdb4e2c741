import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import type { Task, TaskPort } from "../../protocol/plans.ts";
import { findTool } from "../registry.ts";

/** Keeps what is created, and gives every change and refusal back as it was asked for. */
const tasks: Task[] = [];
const changes: unknown[] = [];
const missing = { ok: false as const, error: { code: "not_found" as const, message: "Task 9 not found." } };
const port: TaskPort = {
  async create(given) {
    const task: Task = {
      id: tasks.length + 1,
      ...given,
      status: "pending",
      blockedBy: [],
      blocks: [],
      owner: "",
    };
    tasks.push(task);
    return { ok: true, value: task };
  },
  async update(id, change) {
    changes.push([id, change]);
    const value = tasks.find((task) => task.id === id);
    return value ? { ok: true, value } : missing;
  },
  async get(id) {
    const value = tasks.find((task) => task.id === id);
    return value ? { ok: true, value } : missing;
  },
  list: async () => ({ ok: true, value: tasks }),
};

let lab: ToolLab;
beforeEach(() => {
  tasks.length = 0;
  changes.length = 0;
  lab = createToolLab(undefined, port);
});
afterEach(() => lab.end());

const run = async (name: string, input: Parameters<ToolLab["run"]>[1]): Promise<string> => {
  const tool = findTool(name);
  if (!tool) throw new Error(name);
  return textOf(await lab.run(tool, input));
};

test("a task is answered as JSON with sorted keys", async () => {
  const text = await run("task_create", { subject: " Run tests ", description: "all" });
  expect(Object.keys(JSON.parse(text))).toEqual([
    "blockedBy",
    "blocks",
    "description",
    "id",
    "owner",
    "status",
    "subject",
  ]);
  expect(JSON.parse(text)).toMatchObject({ id: 1, subject: "Run tests", status: "pending", owner: "" });
  expect(await run("task_get", { task_id: "1" })).toBe(text);
  expect(await run("task_create", { subject: " " })).toContain("the subject is blank");
});

test("the list has one line for each task", async () => {
  expect(await run("task_list", {})).toBe("No tasks.");
  for (const subject of ["Write\nit", "Check it", "Mend it", "Run tests"])
    await run("task_create", { subject });
  Object.assign(tasks[0]!, { status: "completed" });
  Object.assign(tasks[1]!, { status: "in_progress", owner: "ann" });
  Object.assign(tasks[3]!, { blockedBy: [2, 3] });
  expect(await run("task_list", {})).toBe(
    "[x] 1: Write it\n[>] 2: Check it @ann\n[ ] 3: Mend it\n[ ] 4: Run tests (blocked by: 2, 3)",
  );
});

test("a change reaches the port; refusals and bad values are named", async () => {
  await run("task_create", { subject: "a" });
  await run("task_update", { task_id: 1, status: "completed", add_blocked_by: [2], add_blocks: ["3"] });
  expect(changes).toEqual([
    [1, { status: "completed", owner: undefined, addBlockedBy: [2], addBlocks: [3] }],
  ]);
  expect(await run("task_update", { task_id: 9 })).toBe("Error: Task 9 not found.");
  expect(await run("task_get", { task_id: 9 })).toBe("Error: Task 9 not found.");
  expect(await run("task_update", { task_id: 1, status: "done" })).toContain('not the text "done"');
  expect(await run("task_update", {})).toContain('"task_id"');
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { todoTool } from "./todo.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const todo = (items: unknown) => lab.run(todoTool, { items } as Parameters<ToolLab["run"]>[1]);
const item = (id: string, status = "pending", text = `do ${id}`) => ({ id, text, status });

test("the list is replaced and told in its exact form", async () => {
  const output = await todo([item("1", "completed"), item("2", "in_progress"), item("3")]);
  expect(output.status).toBe("ok");
  expect(textOf(output)).toBe("[x] do 1\n[>] do 2\n[ ] do 3\n(1/3 completed)");
  expect(textOf(await todo([item("9", "completed", "  last  ")]))).toBe("[x] last\n(1/1 completed)");
  expect(lab.todos).toEqual([{ id: "9", text: "last", status: "completed" }]);
  expect(textOf(await todo([]))).toBe("No todos.");
});

test("what is wrong is named, and the old list stays", async () => {
  await todo([item("1")]);
  const wrong: [unknown, string][] = [
    [Array.from({ length: 21 }, (_, index) => item(String(index))), "At most 20 todos are allowed, not 21."],
    [[item("1"), item("2", "pending", " \n")], "The text of item '2' is blank."],
    [
      [item("1", "in_progress"), item("2", "in_progress")],
      "Only one item can be in_progress at a time, not '1' and '2'.",
    ],
    [
      [item("1", "doing")],
      `"items[0].status" must be one of pending, in_progress, completed, not the text "doing"`,
    ],
    [[{ text: "x", status: "pending" }], `Missing required parameter "items[0].id".`],
  ];
  for (const [items, message] of wrong) {
    const output = await todo(items);
    expect(output.status).toBe("error");
    expect(textOf(output)).toContain(message);
  }
  expect(lab.todos).toEqual([item("1")]);
  await todo(Array.from({ length: 20 }, (_, index) => item(String(index))));
  expect(lab.todos).toHaveLength(20);
});

test("the lists of other agents are taken", async () => {
  const todos = [
    { content: "a", status: "in_progress", activeForm: "doing a" },
    { content: "b", status: "pending", activeForm: "" },
  ];
  expect(textOf(await lab.run(todoTool, { todos }))).toBe("[>] a\n[ ] b\n(0/2 completed)");
  expect(lab.todos.map((one) => one.id)).toEqual(["1", "2"]);
});

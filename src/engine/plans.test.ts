import { expect, test } from "vitest";
import type { TodoItem } from "../protocol/plans.ts";
import { TestEngine } from "./testing/engine.ts";
import { call, okResult, text } from "./testing/values.ts";

const item = (status: TodoItem["status"]): TodoItem => ({ id: "1", text: "work", status });

/** One round of one call; with items, it changes the checklist. Gives what its results message ends with. */
function round(engine: TestEngine, items?: TodoItem[]): string | undefined {
  const id = engine.id("call");
  engine.reply([call(id, items ? "todo" : "bash")]);
  engine.runAll();
  engine.send({
    type: "tool_finished",
    callId: id,
    effectId: engine.effectOf(id),
    result: okResult(id),
    denied: false,
    facts: items ? [{ type: "todos_changed", items }] : [],
  });
  const last = engine.messages().findLast((message) => message.kind === "tool_results");
  const [first, second, ...more] = last?.content ?? [];
  expect(first?.type).toBe("tool_result");
  expect(more).toEqual([]);
  return second?.type === "reminder" ? second.text : undefined;
}

test("every third round without a change of an open list brings a reminder", () => {
  const engine = new TestEngine();
  engine.prompt("go");
  expect(round(engine, [item("pending")])).toBeUndefined();
  const reminders = Array.from({ length: 7 }, () => round(engine));
  const text = "Update your todos.";
  expect(reminders).toEqual([undefined, undefined, text, undefined, undefined, text, undefined]);
  expect(round(engine, [item("in_progress")])).toBeUndefined();
  expect([round(engine), round(engine), round(engine)]).toEqual([undefined, undefined, text]);
});

test("no list, or one with nothing open, brings none", () => {
  const engine = new TestEngine();
  engine.prompt("go");
  for (let count = 0; count < 4; count++) expect(round(engine)).toBeUndefined();
  round(engine, [item("completed")]);
  for (let count = 0; count < 4; count++) expect(round(engine)).toBeUndefined();
});

test("a prompt counts anew, whether it begins a turn or steers one; a restart does not", () => {
  const engine = new TestEngine();
  engine.prompt("go");
  round(engine, [item("pending")]);
  round(engine);
  round(engine);
  engine.reply([text("done")]);
  engine.prompt("more");
  expect([round(engine), round(engine)]).toEqual([undefined, undefined]);
  engine.prompt("and this", { delivery: "steer" });
  expect(round(engine)).toBe("Update your todos.");
  expect([round(engine), round(engine)]).toEqual([undefined, undefined]);
  engine.restart();
  expect(round(engine)).toBe("Update your todos.");
});

test("the list and the skills' folders are stored, and gone when the session is cleared", () => {
  const engine = new TestEngine();
  engine.prompt("go");
  round(engine, [item("pending")]);
  for (const folder of ["/s/a", "/s/b", "/s/a"]) engine.send({ type: "skill_loaded", name: "a", folder });
  engine.reply([text("done")]);
  engine.restart();
  expect(engine.state).toMatchObject({ todos: [item("pending")], skillFolders: ["/s/a", "/s/b"] });
  engine.send({ type: "cleared", commandId: "c1" });
  expect(engine.state.todos).toBeUndefined();
  expect(engine.state.skillFolders).toBeUndefined();
});

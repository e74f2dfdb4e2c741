import fc from "fast-check";
import { expect, test } from "vitest";
import type { Task, TaskChange } from "../../protocol/plans.ts";
import { changeTask, graphOf, importTasks, removeTask, type TaskGraph } from "./task-graph.ts";

const task = (id: number, more: Partial<Task> = {}): Task => ({
  id,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  blockedBy: [],
  blocks: [],
  owner: "",
  ...more,
});
const fresh = (count: number): TaskGraph => graphOf(Array.from({ length: count }, (_, at) => task(at + 1)));
const messageOf = (result: ReturnType<typeof changeTask>): string => (result.ok ? "" : result.error.message);

test("an edge that cannot be is refused by name, and nothing of its change is kept", () => {
  const graph = fresh(3);
  changeTask(graph, 2, { addBlockedBy: [1] });
  changeTask(graph, 3, { addBlockedBy: [2] });
  const before = structuredClone([...graph.tasks.values()]);
  const refused: [TaskChange, string][] = [
    [{ addBlockedBy: [9] }, "Task 9 not found."],
    [{ addBlockedBy: [1] }, "Task 1 cannot depend on itself."],
    [{ addBlocks: [3], addBlockedBy: [2] }, "Task 1 cannot wait for task 2: cycle 2 -> 1 -> 2."],
    [{ status: "completed", addBlockedBy: [3] }, "Task 1 cannot wait for task 3: cycle 3 -> 1 -> 2 -> 3."],
  ];
  for (const [change, message] of refused) expect(messageOf(changeTask(graph, 1, change))).toBe(message);
  expect([...graph.tasks.values()]).toEqual(before);
  expect(messageOf(changeTask(graph, 7, {}))).toBe("Task 7 not found.");
});

test("a diamond opens step by step; taking a task up again closes it", () => {
  const graph = fresh(4);
  changeTask(graph, 1, { addBlocks: [2, 3, 3] });
  changeTask(graph, 4, { addBlockedBy: [3, 2, 2] });
  const blockers = () => [...graph.tasks.values()].map((one) => one.blockedBy);
  expect(blockers()).toEqual([[], [1], [1], [2, 3]]);
  expect(graph.tasks.get(1)?.blocks).toEqual([2, 3]);
  changeTask(graph, 1, { status: "completed" });
  expect(blockers()).toEqual([[], [], [], [2, 3]]);
  changeTask(graph, 2, { status: "completed" });
  expect(blockers()).toEqual([[], [], [], [3]]);
  changeTask(graph, 2, { status: "in_progress" });
  expect(blockers()).toEqual([[], [], [], [2, 3]]);
});

const id = fc.integer({ min: 1, max: 6 });
const ids = fc.array(id, { maxLength: 3 });
const step = fc.oneof(
  fc.record({
    id,
    change: fc.record(
      {
        status: fc.constantFrom("pending", "in_progress", "completed"),
        addBlockedBy: ids,
        addBlocks: ids,
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ remove: id }),
  fc.record({
    replace: fc.boolean(),
    given: fc.array(
      fc.record({ id, blockedBy: ids, blocks: ids, status: fc.constantFrom("pending", "completed") }),
      { maxLength: 3 },
    ),
  }),
);

test("whatever is done, both sides tell the same edges, without circles or loose ends", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const graph = fresh(6);
      for (const one of steps) {
        if ("remove" in one) removeTask(graph, one.remove);
        else if ("given" in one)
          importTasks(
            graph,
            one.given.map((given) => task(given.id, given as Partial<Task>)),
            one.replace,
          );
        else changeTask(graph, one.id, one.change as TaskChange);
        checkEdges(graph);
      }
    }),
    { numRuns: 200 },
  );
});

function checkEdges({ tasks }: TaskGraph): void {
  for (const one of tasks.values()) {
    for (const blocker of one.blockedBy) {
      expect(tasks.get(blocker)?.status).not.toBe("completed");
      expect(tasks.get(blocker)?.blocks).toContain(one.id);
    }
    for (const blocked of one.blocks) {
      expect(tasks.has(blocked)).toBe(true);
      if (one.status !== "completed") expect(tasks.get(blocked)?.blockedBy).toContain(one.id);
    }
    expect(new Set(one.blocks).size).toBe(one.blocks.length);
    expect(new Set(one.blockedBy).size).toBe(one.blockedBy.length);
  }
  const left = new Set(tasks.keys());
  for (let shrank = true; shrank; ) {
    const free = [...left].filter(
      (known) => ![...left].some((other) => tasks.get(other)?.blocks.includes(known)),
    );
    for (const known of free) left.delete(known);
    shrank = free.length > 0;
  }
  expect([...left]).toEqual([]);
}

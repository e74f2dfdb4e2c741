import { afterEach, beforeEach, expect, test } from "vitest";
import type { Task } from "../../protocol/plans.ts";
import { openDatabase } from "../adapter.ts";
import { loadDriver } from "../driver.ts";
import { type TemporaryStore, temporaryStore } from "../testing/temporary-store.ts";

let temporary: TemporaryStore;
beforeEach(async () => {
  temporary = await temporaryStore();
});
afterEach(() => temporary.remove());

const make = (subject: string, project = "/p"): Promise<Task> =>
  temporary.store.createTask(project, { subject, description: "" });

test("ids count up per project, over restarts and deletions", async () => {
  for (const subject of ["a", "b", "c", "d", "e"]) await make(subject);
  const store = await temporary.reopen();
  expect((await make("f")).id).toBe(6);
  expect((await make("other", "/q")).id).toBe(1);
  expect(await store.deleteTask("/p", 6)).toBe(true);
  expect(await store.deleteTask("/p", 6)).toBe(false);
  expect((await make("g")).id).toBe(7);
  expect((await store.tasks("/p")).map((task) => task.id)).toEqual([1, 2, 3, 4, 5, 7]);
  expect((await store.tasks("/q")).map((task) => task.subject)).toEqual(["other"]);
});

test("a change is on both sides after a restart; a refused one changes nothing", async () => {
  await make("a");
  await make("b");
  expect(await temporary.store.updateTask("/p", 2, { addBlockedBy: [1] })).toMatchObject({ ok: true });
  expect(await temporary.store.updateTask("/p", 1, { owner: "me", addBlockedBy: [2] })).toMatchObject({
    ok: false,
    error: { code: "invalid" },
  });
  const store = await temporary.reopen();
  expect(await store.tasks("/p")).toMatchObject([
    { id: 1, blocks: [2], owner: "" },
    { id: 2, blockedBy: [1] },
  ]);
  expect(await store.task("/p", 3)).toMatchObject({ ok: false, error: { code: "not_found" } });
});

test("a completion that was cut short is finished at the next load", async () => {
  await make("a");
  await make("b");
  await temporary.store.updateTask("/p", 1, { addBlocks: [2] });
  await temporary.store.close();
  const db = openDatabase(loadDriver(), temporary.file);
  db.run("UPDATE tasks SET json = json_set(json, '$.status', 'completed') WHERE id = 1");
  db.close();
  const store = await temporary.reopen();
  expect((await store.tasks("/p")).map((task) => task.blockedBy)).toEqual([[], []]);
});

test("an import keeps ids, and later ones count on from the highest", async () => {
  await make("mine");
  const given: Task[] = [1, 4, 6].map((id) => ({
    id,
    subject: `given ${id}`,
    description: "",
    status: "pending",
    blockedBy: id === 6 ? [4, 99] : [],
    blocks: [],
    owner: "",
  }));
  const first = await temporary.store.importTasks("/p", given, false);
  expect(first.imported).toEqual([4, 6]);
  expect(first.notes).toEqual([
    "task 1 exists already; --replace overwrites it",
    "task 6: 99 before 6 is left out. Task 99 not found.",
  ]);
  expect((await temporary.store.importTasks("/p", given, true)).imported).toEqual([1, 4, 6]);
  expect((await temporary.store.tasks("/p")).map((task) => task.subject)).toEqual([
    "given 1",
    "given 4",
    "given 6",
  ]);
  expect((await make("next")).id).toBe(7);
});

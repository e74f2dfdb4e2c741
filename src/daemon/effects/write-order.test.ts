import { expect, it } from "vitest";
import { deferred } from "../../shared/async.ts";
import { findTool } from "../../tools/registry.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import { callDone, openBatch, waitForTurn, withFiles } from "./write-order.ts";

type Order = Pick<SessionRuntime, "batch" | "writers">;
const session = (...names: string[]): SessionRuntime => {
  const runtime = { batch: [], writers: new Map() } satisfies Order as unknown as SessionRuntime;
  openBatch(
    runtime,
    names.map((name, index) => ({ id: `${name}${index}`, tool: findTool(name) })),
  );
  return runtime;
};
const go = new AbortController().signal;
/** Ids of calls that may start now. */
async function started(runtime: SessionRuntime): Promise<string[]> {
  const open: string[] = [];
  for (const { id } of runtime.batch) void waitForTurn(runtime, id, go).then(() => open.push(id));
  await new Promise((done) => setImmediate(done));
  return open;
}

it("reads and commands run side by side; a write waits for what is before it, and what follows for the write", async () => {
  const runtime = session("read_file", "bash", "edit_file", "bash");
  expect(await started(runtime)).toEqual(["read_file0", "bash1"]);
  callDone(runtime, "read_file0");
  callDone(runtime, "read_file0");
  expect(await started(runtime)).toEqual(["read_file0", "bash1"]);
  callDone(runtime, "bash1");
  expect(await started(runtime)).toEqual(["read_file0", "bash1", "edit_file2"]);
  callDone(runtime, "edit_file2");
  expect(await started(runtime)).toHaveLength(4);
});

it("changes of the checklist and the tasks take their turns with those who read them, and hold up no others", async () => {
  const runtime = session("task_list", "task_get", "task_create", "bash", "task_list", "task_create");
  const first = ["task_list0", "task_get1", "bash3"];
  expect(await started(runtime)).toEqual(first);
  callDone(runtime, "task_list0");
  callDone(runtime, "task_get1");
  expect(await started(runtime)).toEqual(["task_list0", "task_get1", "task_create2", "bash3"]);
  callDone(runtime, "task_create2");
  expect(await started(runtime)).not.toContain("task_create5");
  callDone(runtime, "task_list4");
  expect(await started(runtime)).toHaveLength(6);
});

it("a call that is stopped while it waits, and one of no batch, go on at once", async () => {
  const runtime = session("edit_file", "bash");
  const stop = new AbortController();
  const waiting = waitForTurn(runtime, "bash1", stop.signal);
  stop.abort();
  await waiting;
  await waitForTurn(runtime, "bash1", AbortSignal.abort());
  await waitForTurn(runtime, "unknown", go);
});

it("writers of one file never interleave, in the order they came; others do not wait", async () => {
  const runtime = session();
  const log: string[] = [];
  const gate = deferred<void>();
  const write = (name: string, paths: string[], until?: Promise<void>) =>
    withFiles(runtime, paths, async () => {
      log.push(`${name}+`);
      await until;
      log.push(`${name}-`);
    });
  const all = [
    write("a", ["/x", "/y"], gate.promise),
    write("b", ["/y"]),
    write("c", ["/z"]),
    write("d", ["/y", "/x"]),
  ];
  await new Promise((done) => setImmediate(done));
  expect(log).toEqual(["a+", "c+", "c-"]);
  gate.resolve();
  await Promise.all(all);
  expect(log).toEqual(["a+", "c+", "c-", "a-", "b+", "b-", "d+", "d-"]);
  expect(runtime.writers.size).toBe(0);
});

it("a writer that fails lets the next one in", async () => {
  const runtime = session();
  const broken = withFiles(runtime, ["/x"], () => Promise.reject(new Error("disk")));
  const next = withFiles(runtime, ["/x"], () => Promise.resolve("ok"));
  await expect(broken).rejects.toThrow("disk");
  expect(await next).toBe("ok");
});

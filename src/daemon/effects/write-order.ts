import type { CallId } from "../../protocol/ids.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import { deferred } from "../../shared/async.ts";
import type { BatchCall, SessionRuntime } from "../sessions/session-runtime.ts";

/**
 * Order inside one batch: calls run side by side, but a call that writes files waits for the earlier calls
 * that run or read, and they wait for earlier writers, so that "edit, then test" in one reply means that.
 * Calls that change what the session or project keeps (checklist, tasks) take their turns with those that read it.
 * Two writers of one file never interleave, whatever batch they come from.
 */
export function openBatch(
  runtime: SessionRuntime,
  calls: { id: CallId; tool: ToolDefinition | undefined }[],
): void {
  runtime.batch = calls.map(({ id, tool }) => ({
    id,
    kind: kindOf(tool),
    done: deferred<void>(),
    finished: false,
  }));
}

/** Told for every call that is done, however it ended. */
export function callDone(runtime: SessionRuntime, id: CallId): void {
  const call = runtime.batch.find((entry) => entry.id === id);
  if (!call || call.finished) return;
  call.finished = true;
  call.done.resolve();
}

/** Waits until the call may start; returns early when the signal fires. */
export async function waitForTurn(runtime: SessionRuntime, id: CallId, signal: AbortSignal): Promise<void> {
  const index = runtime.batch.findIndex((entry) => entry.id === id);
  const own = runtime.batch[index];
  if (!own) return;
  const before = runtime.batch
    .slice(0, index)
    .filter((entry) => !entry.finished && mustFollow(own.kind, entry.kind));
  if (before.length === 0 || signal.aborted) return;
  const aborted = deferred<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([Promise.all(before.map((entry) => entry.done.promise)), aborted.promise]);
  signal.removeEventListener("abort", onAbort);
}

/** Whether a call waits for an earlier one of its batch. */
function mustFollow(own: BatchCall["kind"], earlier: BatchCall["kind"]): boolean {
  if (own === "write" || earlier === "write") return true;
  const kept = (kind: BatchCall["kind"]): boolean => kind === "state" || kind === "state_change";
  return kept(own) && kept(earlier) && (own === "state_change" || earlier === "state_change");
}

/** Runs `work` alone among the writers of these files. */
export async function withFiles<T>(
  runtime: SessionRuntime,
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const unique = [...new Set(paths)].sort();
  const earlier = unique.map((path) => runtime.writers.get(path) ?? Promise.resolve());
  const own = deferred<void>();
  for (const path of unique) runtime.writers.set(path, own.promise);
  await Promise.all(earlier);
  try {
    return await work();
  } finally {
    own.resolve();
    for (const path of unique) if (runtime.writers.get(path) === own.promise) runtime.writers.delete(path);
  }
}

function kindOf(tool: ToolDefinition | undefined): BatchCall["kind"] {
  if (tool?.effect === "write") return "write";
  if (tool?.effect === "none") return tool.parallel ? "state" : "state_change";
  return tool?.effect === "execute" || tool?.effect === "network" ? "execute" : "read";
}

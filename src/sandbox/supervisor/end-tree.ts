import { delay } from "../../shared/async.ts";
import { descendantsOf, processesWithVariable, signalProcess } from "./process-tree.ts";

/** How long a process may take to end by itself after TERM. */
const GRACE_MS = 300;

/** How the processes of one command are ended. */
export type TreeKind =
  /** `pid` is bubblewrap: its death ends its namespace, so only what runs inside is asked first. */
  | { type: "namespace" }
  /** `pid` leads its own group; children may have left it, but they carry the marker variable. */
  | { type: "group"; marker: { name: string; value: string } };

/** Ends all of a running command: TERM, a short grace, KILL. `ended` resolves when it is gone by itself. */
export async function endTree(pid: number, kind: TreeKind, ended: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  for (const one of await askable(pid, kind)) signalProcess(one, "SIGTERM");
  await delay(GRACE_MS, over.signal);
  await killTree(pid, kind);
}

/** KILL, at once: the command, its group, and whoever left the group. */
export async function killTree(pid: number, kind: TreeKind): Promise<void> {
  const below = kind.type === "namespace" ? [] : await descendantsOf(pid);
  signalGroup(pid);
  signalProcess(pid, "SIGKILL");
  for (const one of below) signalProcess(one, "SIGKILL");
  await killLeftovers(kind);
}

/** KILL to the group that a process led; harmless when nobody is left in it. */
export function signalGroup(leader: number): void {
  signalProcess(-leader, "SIGKILL");
}

/** What a command that has ended left running outside a namespace. */
export async function killLeftovers(kind: TreeKind): Promise<void> {
  if (kind.type === "namespace") return;
  for (const one of await processesWithVariable(kind.marker.name, kind.marker.value)) {
    signalProcess(one, "SIGKILL");
  }
}

/** Whom to send TERM. bubblewrap and the first process of its namespace are spared: the rest needs them. */
async function askable(pid: number, kind: TreeKind): Promise<number[]> {
  const below = await descendantsOf(pid);
  return kind.type === "namespace" ? below.slice(1) : [pid, ...below];
}

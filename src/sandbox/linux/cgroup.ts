import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxLimits } from "../../protocol/ports.ts";

/** A control group for one command. */
export type CommandGroup = {
  /** Words before a command that put it into the group. */
  launcher: readonly string[];
  /** Removes the group once its processes are gone. */
  remove(): void;
};

export const NO_GROUP: CommandGroup = { launcher: [], remove: () => undefined };

type Controller = "pids" | "memory";

const ROOT = "/sys/fs/cgroup";

/** Files that hold a limit, in the older hierarchy (one per controller) and in the unified one. */
const LIMIT_FILE = {
  pids: { own: "pids.max", unified: "pids.max" },
  memory: { own: "memory.limit_in_bytes", unified: "memory.max" },
} as const;

/**
 * A group with the limits, as far as this user may make one. `null` when a limit of processes was asked for, the
 * kernel's per-user limit does not bind this user, and no group can be made.
 */
export function commandGroup(limits: SandboxLimits, name: string): CommandGroup | null {
  const wanted: [Controller, number][] = [
    ...(limits.processes === null ? [] : [["pids", limits.processes] as [Controller, number]]),
    ...(limits.memoryMb === null ? [] : [["memory", limits.memoryMb * 1024 * 1024] as [Controller, number]]),
  ];
  const folders = new Set<string>();
  const missing: Controller[] = [];
  for (const [controller, value] of wanted) {
    const folder = makeGroup(controller, value, name);
    if (folder === null) missing.push(controller);
    else folders.add(folder);
  }
  if (missing.includes("pids") && process.geteuid?.() === 0) return null;
  if (folders.size === 0) return NO_GROUP;
  return {
    launcher: [...folders].flatMap((folder) => [
      ...["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs")],
    ]),
    remove: () => removeSoon([...folders]),
  };
}

/** Whether a limit of processes can be set for a group; the trial group is removed. */
export function canLimitProcesses(name: string): boolean {
  const folder = makeGroup("pids", 1000, name);
  if (folder !== null) removeSoon([folder]);
  return folder !== null;
}

function makeGroup(controller: Controller, value: number, name: string): string | null {
  for (const { parent, kind } of parentsFor(controller)) {
    const folder = join(parent, name);
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, LIMIT_FILE[controller][kind]), String(Math.floor(value)));
      return folder;
    } catch {
      removeSoon([folder]);
    }
  }
  return null;
}

/** Where groups could be made: beside this process's own, in either hierarchy. */
function parentsFor(controller: Controller): { parent: string; kind: "own" | "unified" }[] {
  const found: { parent: string; kind: "own" | "unified" }[] = [];
  for (const line of textOf("/proc/self/cgroup").split("\n")) {
    const [id = "", controllers = "", path = ""] = line.split(":");
    if (controllers.split(",").includes(controller)) {
      found.push({ parent: join(ROOT, controller, path), kind: "own" });
    } else if (id === "0" && path !== "") {
      // A group with processes of its own may not have limited children, so theirs goes beside it.
      for (const mount of [ROOT, join(ROOT, "unified")]) {
        const parent = join(mount, path === "/" ? "/" : dirname(path));
        if (existsSync(join(parent, "cgroup.subtree_control"))) found.push({ parent, kind: "unified" });
      }
    }
  }
  return found;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const TRIES = 20;
const PAUSE_MS = 50;

/** A group can be removed only when the kernel has let go of its last process. */
function removeSoon(folders: readonly string[], tries = TRIES): void {
  const left = folders.filter((folder) => {
    try {
      rmdirSync(folder);
      return false;
    } catch {
      return existsSync(folder);
    }
  });
  if (left.length > 0 && tries > 0) setTimeout(() => removeSoon(left, tries - 1), PAUSE_MS).unref();
}

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

/** Names one process so that another with the same number is not taken for it. */
export type ProcessIdentity = {
  pid: number;
  /** When it started, in whatever unit the system counts; null when it cannot be told. */
  started: string | null;
  /** The start of the machine, and the namespace in which `pid` means something. */
  boot: string | null;
  namespace: string | null;
};

/** `unknown`: it lives in another pid namespace (a container), where its number says nothing here. */
export type Liveness = "alive" | "dead" | "unknown";

/** A process of this machine that runs now. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid), boot: bootId(), namespace: pidNamespace() };
}

/** Whether that process still runs. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.boot !== bootId()) return "dead";
  if (identity.namespace !== pidNamespace()) return "unknown";
  if (!exists(identity.pid)) return "dead";
  const started = startOf(identity.pid);
  // Gone between the two looks, a zombie, or the number went to another process.
  return started === identity.started ? "alive" : "dead";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function startOf(pid: number): string | null {
  if (process.platform === "linux") return linuxStart(pid);
  try {
    return execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}

const STATE_FIELD = 0;
const START_FIELD = 19;

function linuxStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything; the fields after it are numbers.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[STATE_FIELD] === "Z" || fields[STATE_FIELD] === "X" ? null : (fields[START_FIELD] ?? null);
  } catch {
    return null;
  }
}

function bootId(): string | null {
  return read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function pidNamespace(): string | null {
  return read(() => readlinkSync("/proc/self/ns/pid"));
}

function read(look: () => string): string | null {
  try {
    return look();
  } catch {
    return null;
  }
}

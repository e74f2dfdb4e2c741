import { spawn } from "node:child_process";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Clock ticks a second of /proc figures. */
const TICKS = 100;

/** CPU seconds of a process and its ended children; 0 when it is gone. Linux only, exact to a tick. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return fields ? [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS : 0;
}

function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

/** Proportional set size of a process in MiB. */
function pssOf(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** These processes and all below them, each once. */
function treeOf(roots: readonly number[]): Set<number> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? Number(statOf(Number(name))?.[1]) : Number.NaN;
    if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = new Set<number>();
  const walk = (pid: number): void => {
    if (pid <= 0 || found.has(pid)) return;
    found.add(pid);
    for (const child of children.get(pid) ?? []) walk(child);
  };
  for (const root of roots) walk(root);
  return found;
}

/** Samples the memory of process trees until it is stopped; gives the highest sum of PSS in MiB. */
export function watchMemory(roots: () => number[]): { stop(): number } {
  let peak = 0;
  const look = (): void => {
    let sum = 0;
    for (const pid of treeOf(roots())) sum += pssOf(pid);
    peak = Math.max(peak, sum);
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      look();
      clearInterval(timer);
      return peak;
    },
  };
}

export type Timed = { code: number | null; ms: number; cpu: number; stdout: string };

/**
 * Runs a command to its end. `cpu` is its own and its children's in seconds, from the kernel's accounting of
 * the reaped process (`times` of a wrapping shell); `began` is told the wrapper's pid.
 */
export async function timed(
  argv: string[],
  options: { cwd: string; env: Record<string, string>; began?: (pid: number) => void },
): Promise<Timed> {
  const startedAt = performance.now();
  const script = '"$@"; code=$?; times >&3; exit $code';
  const child = spawn("/bin/bash", ["-c", script, "timed", ...argv], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  options.began?.(child.pid ?? 0);
  let stdout = "";
  let times = "";
  child.stdout?.on("data", (data) => {
    stdout += data;
  });
  child.stdio[3]?.on("data", (data) => {
    times += data;
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, ms: performance.now() - startedAt, cpu: childSeconds(times), stdout };
}

/** The second line of `times`: user and system time of children, as `0m0.123s`. */
function childSeconds(times: string): number {
  const line = times.trim().split("\n")[1] ?? "";
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Bytes of all files below a folder, each file once. */
export function bytesBelow(folder: string): number {
  const seen = new Set<number>();
  const walk = (path: string): number =>
    entries(path).reduce((sum, entry) => {
      const below = join(path, entry.name);
      if (entry.isDirectory()) return sum + walk(below);
      if (!entry.isFile()) return sum;
      const { ino, size } = statSync(below);
      if (seen.has(ino)) return sum;
      seen.add(ino);
      return sum + size;
    }, 0);
  return walk(folder);
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second of /proc figures. */
const TICKS = 100;

/** CPU seconds of a process and its ended children; 0 when it is gone. Linux only. */
export function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS;
  } catch {
    return 0;
  }
}

/** Proportional set size of a process in MiB. */
export function pssOf(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Children of a process, all levels. */
export function descendants(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
    } catch {}
  }
  const found: number[] = [];
  const walk = (id: number): void => {
    for (const child of parents.get(id) ?? []) {
      found.push(child);
      walk(child);
    }
  };
  walk(pid);
  return found;
}

export type Timed = {
  code: number | null;
  ms: number;
  cpu: number;
  peakMb: number;
  stdout: string;
  startedAt: number;
};

/**
 * Runs a command to its end. `cpu` is its own and its children's, from the kernel's accounting of the reaped
 * process (`times` of a wrapping shell); `peakMb` samples the PSS of the processes named by `watch`.
 */
export async function timed(
  argv: string[],
  options: { cwd: string; env: Record<string, string>; watch?: (child: ChildProcess) => number[] },
): Promise<Timed> {
  const startedAt = performance.now();
  const script = '"$@"; code=$?; times >&3; exit $code';
  const child = spawn("/bin/bash", ["-c", script, "timed", ...argv], {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  let stdout = "";
  let times = "";
  child.stdout?.on("data", (data) => (stdout += data));
  (child.stdio[3] as NodeJS.ReadableStream).on("data", (data) => (times += data));
  let peakMb = 0;
  const { watch } = options;
  const sampler = watch
    ? setInterval(() => {
        peakMb = Math.max(
          peakMb,
          watch(child).reduce((sum, pid) => sum + pssOf(pid), 0),
        );
      }, 40)
    : undefined;
  const code = await new Promise<number | null>((done) => child.on("close", done));
  clearInterval(sampler);
  return { code, ms: performance.now() - startedAt, cpu: childSeconds(times), peakMb, stdout, startedAt };
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

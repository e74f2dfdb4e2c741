import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

/** One process of the machine, as far as a tree needs it. */
type ProcessRow = { pid: number; parent: number };

/** The processes below `pid`, without it; nearest first. Empty when nothing can be learned. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const row of await allProcesses()) {
    const list = children.get(row.parent);
    if (list) list.push(row.pid);
    else children.set(row.parent, [row.pid]);
  }
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const below = children.get(next) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

async function allProcesses(): Promise<ProcessRow[]> {
  const entries = await readdir("/proc").catch(() => null);
  const numbers = entries?.filter((name) => /^\d+$/.test(name)) ?? [];
  if (numbers.length === 0) return listWithPs();
  const rows = await Promise.all(numbers.map((name) => readRow(Number(name))));
  return rows.filter((row) => row !== null);
}

async function readRow(pid: number): Promise<ProcessRow | null> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => null);
  if (text === null) return null;
  // The name stands in parentheses and may hold anything; the parent is the second field behind it.
  const parent = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  return Number.isInteger(parent) ? { pid, parent } : null;
}

function listWithPs(): Promise<ProcessRow[]> {
  return new Promise((done) => {
    execFile("/bin/ps", ["-axo", "pid=,ppid="], { env: {} }, (error, stdout) => {
      if (error) return done([]);
      const rows = stdout.split("\n").flatMap((line) => {
        const [pid, parent] = line.trim().split(/\s+/).map(Number);
        return pid && parent !== undefined ? [{ pid, parent }] : [];
      });
      done(rows);
    });
  });
}

/** Processes of this user whose environment holds `NAME=value`; Linux only, else empty. */
export async function processesWithVariable(name: string, value: string): Promise<number[]> {
  const wanted = `${name}=${value}`;
  const entries = await readdir("/proc").catch(() => []);
  const numbers = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const hits = await Promise.all(
    numbers.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return text.split("\0").includes(wanted) ? pid : null;
    }),
  );
  return hits.filter((pid) => pid !== null);
}

/** Sends a signal; a process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or no longer ours.
  }
}

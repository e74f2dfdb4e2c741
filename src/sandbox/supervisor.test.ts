import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Launch, type ProcessEnd, type Supervision, supervise } from "./supervisor.ts";

let runs = 0;

async function run(command: string, more: Partial<Supervision & Launch> = {}): Promise<ProcessEnd> {
  const marker = { name: "SUPERVISOR_TEST", value: `${process.pid}-${++runs}` };
  const result = await supervise(
    {
      file: "/bin/bash",
      argv: ["--noprofile", "--norc", "-c", command],
      env: { PATH: "/usr/bin:/bin", [marker.name]: marker.value },
      cwd: "/",
      tree: { type: "group", marker },
      ...more,
    },
    {
      timeoutMs: 20_000,
      outputBytes: 100_000,
      signal: new AbortController().signal,
      now: Date.now,
      ...more,
    },
  );
  if (!result.started) throw new Error(result.reason);
  return result.end;
}

const alive = (pid: number): boolean => {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
};

async function gone(pids: number[]): Promise<boolean> {
  for (let tries = 0; tries < 100 && pids.some(alive); tries++) {
    await new Promise((done) => setTimeout(done, 20));
  }
  return !pids.some(alive);
}

const numbers = (text: string): number[] => text.trim().split(/\s+/).map(Number);

describe("supervise", () => {
  it("gives both streams, exit code and signal", async () => {
    const ended = await run("echo out; echo err >&2; exit 7");
    expect(ended).toMatchObject({ exitCode: 7, signal: null, timedOut: false, interrupted: false });
    expect([ended.stdout.text, ended.stderr.text]).toEqual(["out\n", "err\n"]);
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  it("gives an empty stdin, no environment but its own, and the bytes for descriptor 3", async () => {
    const ended = await run("cat; read -r x || echo none; env | grep -c . ; cat <&3", {
      inputs: [Buffer.from("from three")],
    });
    expect(ended.stdout.text).toMatch(/^none\n\d\nfrom three$/);
  });

  it("does not hang on much output on both streams, and keeps little of it", async () => {
    const ended = await run(
      "head -c 30000000 /dev/zero | tr '\\0' y; head -c 3000000 /dev/zero >&2; echo end",
    );
    expect(ended.stdout).toMatchObject({ totalBytes: 30_000_004, cut: true });
    expect(ended.stdout.text.length).toBeLessThan(101_000);
    expect(ended.stdout.text.endsWith("end\n")).toBe(true);
    expect(ended.stderr.totalBytes).toBe(3_000_000);
  });

  it("answers when the command has ended, and leaves nothing in the background", async () => {
    const ended = await run("sleep 300 & echo $!; setsid sleep 300 & echo $!; sleep 0.2");
    expect(ended.exitCode).toBe(0);
    expect(ended.durationMs).toBeLessThan(10_000);
    expect(await gone(numbers(ended.stdout.text))).toBe(true);
  });

  it("ends the whole tree at the time limit, also what ignores TERM or left the group", async () => {
    const ended = await run(
      "trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 300' & echo $!; sleep 300 & echo $!; while :; do sleep 1; done",
      { timeoutMs: 700 },
    );
    expect(ended).toMatchObject({ timedOut: true, interrupted: false });
    expect(await gone(numbers(ended.stdout.text))).toBe(true);
  });

  it("lets a command clean up when it is interrupted", async () => {
    const stop = new AbortController();
    const ended = await run("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done", {
      signal: stop.signal,
      onOutput: (text) => text.includes("ready") && stop.abort(),
    });
    expect(ended).toMatchObject({ interrupted: true, timedOut: false, exitCode: 3 });
    expect(ended.stdout.text).toBe("ready\nbye\n");
  });

  it("ends at once when it was interrupted before it began", async () => {
    const ended = await run("sleep 300", { signal: AbortSignal.abort() });
    expect(ended.interrupted).toBe(true);
  });

  it("says why a program could not be started", async () => {
    const result = await supervise(
      { file: "/no/such/program", argv: [], env: {}, cwd: "/", tree: { type: "namespace" } },
      { timeoutMs: 1000, outputBytes: 100, signal: new AbortController().signal, now: Date.now },
    );
    expect(result).toMatchObject({ started: false });
    expect(JSON.stringify(result)).toContain("/no/such/program");
  });
});

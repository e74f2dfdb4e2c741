import { type ChildProcess, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startScriptedModel } from "../../src/demo/scripted-model/server.ts";
import type { Script, ScriptedModel, ScriptedModelOptions } from "../../src/demo/scripted-model/types.ts";

/** The built product: end-to-end tests run what users run. LATHE_MAIN names another build's main.js. */
export const LATHE = resolve(process.env.LATHE_MAIN ?? "dist/main.js");

export type RunResult = {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  ms: number;
};

export type Lab = {
  /** Fresh workspace, home, a folder outside both, and a temp folder. */
  work: string;
  home: string;
  outside: string;
  tmp: string;
  model: ScriptedModel;
  /** What the strict check found, over all scripts played in this lab. */
  problems(): string[];
  environment: Record<string, string>;
  /** Replaces the scripted model by one with another script; the address changes. */
  play(script: Script, options?: Partial<ScriptedModelOptions>): Promise<ScriptedModel>;
  start(args: string[], options?: StartOptions): Running;
  run(args: string[], options?: StartOptions): Promise<RunResult>;
  /** Pid of the daemon, from its own status; null when none runs. */
  daemonPid(): Promise<number | null>;
  /** Live processes that have the lab's folders in their environment, arguments or working directory. */
  processes(): { pid: number; command: string }[];
  /** The same without the daemon. */
  leftovers(): { pid: number; command: string }[];
  close(): Promise<void>;
};

export type StartOptions = {
  cwd?: string;
  env?: Record<string, string | undefined>;
  stdin?: string | "open" | "null";
  timeoutMs?: number;
  /** A program with its arguments that starts the product: `strace ...`, `nsenter ...`. */
  wrap?: string[];
};

export type Running = { child: ChildProcess; result: Promise<RunResult>; stdout(): string; stderr(): string };

const NOBODY = 65534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const isRoot = (): boolean => process.getuid?.() === 0;

type LabOptions = Partial<ScriptedModelOptions> & {
  wire?: "anthropic" | "openai-chat" | "openai-responses";
  /** The product runs as a user without rights; matters when the tests run as root. */
  plainUser?: boolean;
  /** Where the folders lie instead of the temp folder, of which commands have one of their own. */
  below?: string;
};

/** A folder tree of its own, a scripted model and the real product; `close` leaves nothing behind. */
export async function openLab(script: Script, options: LabOptions = {}): Promise<Lab> {
  const base = realpathSync(mkdtempSync(join(options.below ?? tmpdir(), "lathe-lab-")));
  const folder = (name: string): string => {
    const path = join(base, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const work = folder("w");
  const home = folder("h");
  const outside = folder("o");
  const tmp = folder("t");
  if (options.plainUser && isRoot())
    for (const path of [base, work, home, outside, tmp]) chownSync(path, NOBODY, NOBODY);
  let model = await startScriptedModel({ strict: true, ...options, script });
  const earlierProblems: string[] = [];
  const running = new Set<ChildProcess>();
  const environment = (): Record<string, string> => ({
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: tmp,
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: tmp,
    ...wireEnvironment(options.wire ?? "anthropic", model.url),
  });

  const start = (args: string[], how: StartOptions = {}): Running => {
    const started = performance.now();
    const node = process.env.LATHE_NODE ?? process.execPath;
    const [command = node, ...first] = [
      ...(how.wrap ?? []),
      ...(options.plainUser && isRoot() ? AS_NOBODY : []),
      node,
    ];
    const child = spawn(command, [...first, LATHE, ...args], {
      cwd: how.cwd ?? work,
      env: { ...environment(), ...how.env } as NodeJS.ProcessEnv,
      stdio: [how.stdin === undefined || how.stdin === "null" ? "ignore" : "pipe", "pipe", "pipe"],
    });
    running.add(child);
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (data) => (stdout += data));
    child.stderr?.on("data", (data) => (stderr += data));
    if (how.stdin !== undefined && how.stdin !== "open" && how.stdin !== "null") child.stdin?.end(how.stdin);
    const timer = setTimeout(() => child.kill("SIGKILL"), how.timeoutMs ?? 60_000);
    const result = new Promise<RunResult>((done) => {
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        running.delete(child);
        done({ code, signal, stdout, stderr, ms: performance.now() - started });
      });
    });
    return { child, result, stdout: () => stdout, stderr: () => stderr };
  };

  const lab: Lab = {
    work,
    home,
    outside,
    tmp,
    get model() {
      return model;
    },
    problems: () => [...earlierProblems, ...model.problems],
    get environment() {
      return environment();
    },
    async play(next, more) {
      await model.close();
      earlierProblems.push(...model.problems);
      model = await startScriptedModel({ strict: true, ...options, ...more, script: next });
      return model;
    },
    start,
    run: (args, how) => start(args, how).result,
    async daemonPid() {
      const { stdout } = await lab.run(["daemon", "status", "--json"]);
      const status = JSON.parse(stdout || "null") as { pid: number } | null;
      return status?.pid ?? null;
    },
    processes: () => processesWith(base),
    leftovers: () => processesWith(base).filter((found) => !/ daemon run$/.test(found.command)),
    async close() {
      for (const child of running) child.kill("SIGKILL");
      await lab.run(["daemon", "stop", "--force"], { timeoutMs: 10_000 });
      await model.close();
      for (const { pid } of processesWith(base)) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {}
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
  return lab;
}

function wireEnvironment(wire: string, url: string): Record<string, string> {
  if (wire === "anthropic")
    return { ANTHROPIC_API_KEY: "lab-key", ANTHROPIC_BASE_URL: url, ANTHROPIC_MODEL: "claude-sonnet-4-6" };
  const model = wire === "openai-chat" ? "openai-chat/scripted-model" : "openai-responses/scripted-model";
  return { OPENAI_API_KEY: "lab-key", OPENAI_BASE_URL: `${url}/v1`, MODEL_ID: model };
}

/** Processes with the text in their environment, arguments or working directory; Linux only, elsewhere none are seen. */
function processesWith(text: string): { pid: number; command: string }[] {
  if (!existsSync("/proc/self/environ")) return [];
  const found: { pid: number; command: string }[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").trim();
      const marked = [
        command,
        readFileSync(`/proc/${name}/environ`, "latin1"),
        readlinkSync(`/proc/${name}/cwd`),
      ].some((place) => place.includes(text));
      if (marked && command !== "") found.push({ pid: Number(name), command });
    } catch {}
  }
  return found;
}

/** The JSON result of a `--output-format json` run. */
export function resultOf(run: RunResult): Record<string, unknown> & { result: string; is_error: boolean } {
  const line = run.stdout.trim().split("\n").at(-1) ?? "";
  return JSON.parse(line);
}

/** Waits until `check` holds; fails with `what` after the time. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`timed out: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startScriptedModel } from "../src/demo/scripted-model/server.ts";
import type { RecordedRequest, Script, ScriptedModel } from "../src/demo/scripted-model/types.ts";
import { type Timed, timed } from "./measure.ts";

/** The build under test; `scripts/bench.mjs` names it. */
export const LATHE = resolve(process.env.LATHE_BENCH_MAIN ?? "dist/main.js");
const FLOOR = resolve("bench/floor.mjs");
/** Not below /tmp, of which the sandbox has its own: a project seldom lies there. */
const BASE = "/var/tmp";

export type Began = { began?: (pid: number) => void };

/** Folders, a scripted model and the two programs, for one figure. */
export type World = {
  work: string;
  /** lathe's state folder. */
  state: string;
  model: ScriptedModel;
  floor(prompt?: string, options?: Began): Promise<Timed>;
  /** `lathe -p` in mode auto; throws when it does not exit with 0. */
  lathe(prompt?: string, args?: string[], options?: Began): Promise<Timed>;
  /** Any other command line. */
  command(...args: string[]): Promise<Timed>;
  /** Pid of the running daemon; 0 when there is none. */
  daemonPid(): number;
  stopDaemon(): Promise<void>;
  /** Requests since the last call. */
  taken(): RecordedRequest[];
  close(): Promise<void>;
};

/** A fresh world whose model plays the same script for every run: the script decides by the conversation. */
export async function openWorld(script: Script): Promise<World> {
  const base = mkdtempSync(join(BASE, "lathe-bench-"));
  const folder = (name: string): string => {
    const path = join(base, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const work = folder("w");
  const home = folder("h");
  writeFileSync(join(work, "a.txt"), "alpha\nbeta\ngamma\n");
  const model = await startScriptedModel({ script });
  const env = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: folder("r"),
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_MODEL: "claude-sonnet-4-6",
  };
  const state = join(home, ".local", "state", "lathe");
  const run = (argv: string[], options: Began = {}): Promise<Timed> =>
    timed([process.execPath, ...argv], { cwd: work, env, ...options });
  const succeed = async (argv: string[], options?: Began): Promise<Timed> => {
    const result = await run(argv, options);
    if (result.code !== 0) throw new Error(`${argv.join(" ")} ended with exit code ${result.code}`);
    return result;
  };
  let seen = 0;
  const stopDaemon = async (): Promise<void> => {
    await run([LATHE, "daemon", "stop", "--force"]);
  };
  return {
    work,
    state,
    model,
    floor: (prompt = "go", options = {}) => succeed([FLOOR, prompt], options),
    lathe: (prompt = "go", args = [], options = {}) =>
      succeed([LATHE, "-p", prompt, "--permission-mode", "auto", ...args], options),
    command: (...args) => run([LATHE, ...args]),
    daemonPid: () => pidIn(join(state, "daemon", "daemon.json")),
    stopDaemon,
    taken() {
      const from = seen;
      seen = model.requests.length;
      return model.requests.slice(from);
    },
    async close() {
      await stopDaemon();
      await model.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function pidIn(daemonFile: string): number {
  try {
    return (JSON.parse(readFileSync(daemonFile, "utf8")) as { pid: number }).pid;
  } catch {
    return 0;
  }
}

export async function inWorld<T>(script: Script, work: (world: World) => Promise<T>): Promise<T> {
  const world = await openWorld(script);
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

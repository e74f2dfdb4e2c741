import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startScriptedModel } from "../src/demo/scripted-model/server.ts";
import type { Script, ScriptedModel } from "../src/demo/scripted-model/types.ts";
import { cpuOf, descendants, pssOf, type Timed, timed } from "./measure.ts";

export const LATHE = resolve("dist/main.js");
const FLOOR = resolve("bench/floor.mjs");

/** Folders, a scripted model and the two programs, for one figure. */
export type World = {
  work: string;
  model: ScriptedModel;
  floor(prompt?: string): Promise<Timed>;
  lathe(args?: string[]): Promise<Timed & { daemonCpu: number; peakAllMb: number }>;
  /** The same without looking at the daemon first: for times. */
  latheOnly(): Promise<Timed>;
  daemonPid(): Promise<number>;
  stopDaemon(): Promise<void>;
  close(): Promise<void>;
};

/** A fresh world whose model plays the same script for every run: the script decides by the conversation. */
export async function openWorld(script: Script): Promise<World> {
  const base = mkdtempSync(join(tmpdir(), "lathe-bench-"));
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
  const daemonPid = async (): Promise<number> => {
    const status = await timed([process.execPath, LATHE, "daemon", "status", "--json"], { cwd: work, env });
    return (JSON.parse(status.stdout) as { pid: number } | null)?.pid ?? 0;
  };
  return {
    work,
    model,
    floor: (prompt = "go") => timed([process.execPath, FLOOR, prompt], { cwd: work, env }),
    async lathe(args = ["-p", "go", "--permission-mode", "auto"]) {
      const pid = await daemonPid();
      const before = cpuOf(pid);
      let peakAllMb = 0;
      const run = await timed([process.execPath, LATHE, ...args], {
        cwd: work,
        env,
        watch: (child) => {
          const pids = [...descendants(child.pid ?? 0), pid].filter((id) => id > 0);
          const all = pids.reduce((sum, id) => sum + pssOf(id), 0);
          peakAllMb = Math.max(peakAllMb, all);
          return [];
        },
      });
      return { ...run, daemonCpu: cpuOf(pid) - before, peakAllMb };
    },
    latheOnly: () => timed([process.execPath, LATHE, "-p", "go"], { cwd: work, env }),
    daemonPid,
    async stopDaemon() {
      await timed([process.execPath, LATHE, "daemon", "stop", "--force"], { cwd: work, env });
    },
    async close() {
      await timed([process.execPath, LATHE, "daemon", "stop", "--force"], { cwd: work, env });
      await model.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Lab, openLab, type RunResult, type StartOptions, until } from "./lab.ts";

type Opened = Parameters<typeof openLab>;

/** A result object of the json formats, as far as tests look at it. */
export type JsonResult = {
  type: "result";
  subtype: string;
  result: string;
  is_error: boolean;
  errors: string[];
  num_turns: number;
  total_cost_usd: number | null;
  usage: Record<string, number | null>;
  permission_denials: { tool_name: string; tool_input: Record<string, unknown> }[];
  session_id: string;
  outcome?: string;
  sandbox?: string;
};

export type CaseRun = RunResult & { json: JsonResult };

/** One case of test/fixtures/cases/handed.md: a lab whose runs are held against the checks of every case. */
export type Case = Lab & {
  /** Writes a file of the workspace before the runs. */
  put(name: string, bytes: string | Uint8Array): void;
  /** The file's bytes now. */
  get(name: string): Buffer;
  /** `lathe -p` with the json result; all tools allowed unless `args` say otherwise. */
  ask(prompt: string, args?: string[], options?: StartOptions): Promise<CaseRun>;
  /** Keeps a run that was started otherwise for the checks. */
  keep(run: RunResult): CaseRun;
  /**
   * The four checks: every request valid; every stdout one JSON document with an exit code that fits; each run
   * within its time and nothing left of it; files that are not `named` unchanged, in bytes and mode. `refused`
   * allows problems that the case provokes itself.
   */
  check(named?: string[], refused?: RegExp): Promise<void>;
};

export async function openCase(script: Opened[0], options: Opened[1] = {}): Promise<Case> {
  const lab = await openLab(script, options);
  const runs: CaseRun[] = [];
  let before: Map<string, string> | null = null;
  const keep = (run: RunResult): CaseRun => {
    const kept = { ...run, json: parsed(run) };
    runs.push(kept);
    return kept;
  };
  return Object.assign(lab, {
    put: (name: string, bytes: string | Uint8Array) => writeFileSync(join(lab.work, name), bytes),
    get: (name: string) => readFileSync(join(lab.work, name)),
    async ask(prompt: string, args: string[] = [], how: StartOptions = {}) {
      before ??= snapshot(lab.work);
      const mode = args.includes("--permission-mode") ? [] : ["--permission-mode", "bypass"];
      return keep(await lab.run(["-p", prompt, "--output-format", "json", ...mode, ...args], how));
    },
    keep(run: RunResult) {
      before ??= snapshot(lab.work);
      return keep(run);
    },
    async check(named: string[] = [], refused?: RegExp) {
      expect(lab.problems().filter((problem) => !refused?.test(problem))).toEqual([]);
      for (const run of runs) {
        expect(run.signal, `the run was killed: ${run.stderr}`).toBeNull();
        expect(run.code === 0, `exit ${run.code} of ${JSON.stringify(run.json)}`).toBe(!run.json.is_error);
      }
      await until("nothing of the run is left", () => lab.leftovers().length === 0, 10_000);
      const after = snapshot(lab.work);
      for (const name of named) {
        before?.delete(name);
        after.delete(name);
      }
      expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before ?? after));
    },
  });
}

/** One JSON document on stdout, or one JSON object a line with the result last. */
function parsed(run: RunResult): JsonResult {
  const lines = run.stdout.split("\n");
  expect(lines.pop(), `stdout ends its last line: ${run.stdout}${run.stderr}`).toBe("");
  const objects = lines.map((line) => JSON.parse(line) as JsonResult);
  const results = objects.filter((object) => object.type === "result");
  expect(results, `one result on stdout: ${run.stdout}${run.stderr}`).toHaveLength(1);
  expect(run.stdout).not.toContain("NaN");
  return results[0] as JsonResult;
}

/** Path -> mode and hash (or link target) of everything below a folder. */
function snapshot(folder: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name);
    const full = join(folder, path);
    const stat = lstatSync(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      found.set(path, mode);
      for (const [inner, value] of snapshot(folder, path)) found.set(inner, value);
    } else if (stat.isSymbolicLink()) found.set(path, `-> ${readlinkSync(full)}`);
    else if (stat.isFile())
      found.set(path, `${mode} ${createHash("sha256").update(readFileSync(full)).digest("hex")}`);
  }
  return found;
}

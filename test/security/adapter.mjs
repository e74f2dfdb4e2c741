// Runs the cases of this suite in lathe's sandbox: one process per case, with the environment that the case
// gives, so that its keys are really there. `node adapter.mjs --run JOB` is that process.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = fileURLToPath(import.meta.url);
const ROOT = path.resolve(path.dirname(HERE), "../..");
const INSIDE = ["PATH", "LANG", "HOME", "USER", "TERM"];

/** The sandbox room as one file that plain Node can load. */
async function bundle() {
  const { build } = await import("esbuild");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lathe-suite-"));
  const file = path.join(folder, "sandbox.mjs");
  const entry = 'export { createSandbox } from "./create.ts"; export { runWithPolicyFile } from "./run-policy.ts";';
  await build({
    stdin: { contents: entry, resolveDir: path.join(ROOT, "src/sandbox"), loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: file,
    logLevel: "error",
  });
  process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  return file;
}
let bundled;

export async function exec(c) {
  bundled ??= await bundle();
  const job = path.join(c.env.CASE, "job.json");
  const state = fs.mkdtempSync(path.join(path.dirname(bundled), "state-"));
  const expand = (text) =>
    text
      .replaceAll("$AGENTHOME", c.env.AGENTHOME)
      .replaceAll("$AGENTPROJ", c.env.AGENTPROJ)
      .replaceAll("$WORK", c.env.WORK);
  const { policy } = c;
  const limits = policy.limits ?? {};
  const data = {
    bundled,
    state,
    outPath: c.outPath,
    errPath: c.errPath,
    resolver: c.suite.resolver,
    params: {
      command: c.command,
      cwd: c.env.WORK,
      environment: { ...Object.fromEntries(INSIDE.map((name) => [name, c.hostEnv[name] ?? ""])), ...c.case.env },
      timeoutMs: c.timeoutS * 1000,
      policy: {
        mode: policy.mode,
        denyRead: (policy.denyRead ?? []).map(expand),
        protectedNames: c.suite.protectedNames.map(expand),
        network: policy.network === "proxy" ? { allow: policy.allow, deny: policy.deny } : "none",
        limits: {
          memoryMb: limits.memMB ?? null,
          processes: limits.pids ?? null,
          tmpMb: limits.tmpMB ?? null,
          outputBytes: 4_000_000,
        },
      },
    },
  };
  fs.writeFileSync(job, JSON.stringify(data));
  const argv = [process.execPath, HERE, "--run", job];
  if (c.case.needsTty) argv.unshift("python3", path.join(c.lib, "ptyrun.py"));
  const text = await new Promise((done) => {
    const child = spawn(argv[0], argv.slice(1), { env: c.hostEnv, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (piece) => (out += piece));
    child.on("close", () => done(out));
  });
  fs.rmSync(state, { recursive: true, force: true });
  return JSON.parse(text);
}

async function runJob(file) {
  const job = JSON.parse(fs.readFileSync(file, "utf8"));
  const { createSandbox, runWithPolicyFile } = await import(pathToFileURL(job.bundled));
  const { map, default: other, exempt } = job.resolver;
  let count = 0;
  const newId = () => `case-${process.pid}-${count++}`;
  const sandbox = createSandbox({
    stateDir: job.state,
    tmpRoot: path.join(job.state, "tmp"),
    home: process.env.HOME,
    now: Date.now,
    newId,
    resolver: { resolve: async (host) => [map[host] ?? other], exempt },
  });
  const started = Date.now();
  try {
    const result = await runWithPolicyFile(job.params, sandbox, {
      folders: { tmpRoot: path.join(job.state, "tmp"), home: process.env.HOME, privateDirs: [job.state] },
      ids: { next: newId },
    });
    fs.writeFileSync(job.outPath, result.stdout.text);
    fs.writeFileSync(job.errPath, result.stderr.text);
    const { exitCode, signal, timedOut, durationMs } = result;
    return { code: exitCode ?? 128, signal, timedOut, durS: Math.floor(durationMs / 1000) };
  } catch (error) {
    fs.writeFileSync(job.outPath, "");
    fs.writeFileSync(job.errPath, String(error.stack ?? error));
    return { code: 126, signal: null, timedOut: false, durS: Math.floor((Date.now() - started) / 1000) };
  }
}

if (process.argv[2] === "--run" && process.argv[3]) {
  console.log(JSON.stringify(await runJob(process.argv[3])));
  process.exit(0);
}

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, openLab } from "../support/lab.ts";

/** Writes what Node was asked to load, by anything but Node itself. */
const RECORDER = `const Module = require("node:module");
const load = Module._load;
const seen = new Set();
Module._load = function (request, parent, ...rest) {
  seen.add(Module._resolveFilename(request, parent));
  return load.call(this, request, parent, ...rest);
};
process.on("exit", () => require("node:fs").writeFileSync(process.env.LOADED, JSON.stringify([...seen])));
`;

const root = resolve(import.meta.dirname, "../..");
const build = join(root, "node_modules", ".cache", `lathe-modules-${process.pid}`);
const main = join(build, "main.js");
let folder: string;
let outputs: Record<string, { inputs: Record<string, unknown> }>;
let lab: Lab;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lathe-modules-"));
  writeFileSync(join(folder, "recorder.cjs"), RECORDER);
  const metafile = join(folder, "meta.json");
  const built = spawnSync(
    process.execPath,
    ["scripts/build.mjs", "--outdir", relative(root, build), "--metafile", metafile],
    { cwd: root, encoding: "utf8" },
  );
  expect(built.stderr).toBe("");
  outputs = (JSON.parse(readFileSync(metafile, "utf8")) as { outputs: typeof outputs }).outputs;
  lab = await openLab(() => ({ text: "hello" }));
});
afterAll(async () => {
  spawnSync(process.execPath, [main, "daemon", "stop", "--force"], { env: lab.environment });
  await lab.close();
  for (const path of [build, folder]) rmSync(path, { recursive: true, force: true });
});

/** Runs the build with these arguments; gives its output, our modules and Node's that it loaded. */
async function loadedBy(...args: string[]) {
  const loaded = join(folder, "loaded.json");
  const child = spawn(process.execPath, ["--require", join(folder, "recorder.cjs"), main, ...args], {
    cwd: lab.work,
    env: { ...lab.environment, LOADED: loaded },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  await new Promise((done) => child.on("close", done));
  const files = JSON.parse(readFileSync(loaded, "utf8")) as string[];
  const ours = files.filter((file) => !isBuiltin(file) && file.startsWith(build));
  const modules = ours.flatMap((file) => Object.keys(outputs[relative(root, file)]?.inputs ?? { [file]: 0 }));
  return {
    stdout,
    modules: modules.sort(),
    builtins: files.filter((file) => isBuiltin(file) && file !== "node:fs").sort(),
    others: files.filter((file) => !isBuiltin(file) && !file.startsWith(build)),
  };
}

const PROMPT_MODULES = [
  "src/cli/args.ts",
  "src/cli/commands/run.ts",
  "src/cli/follow-run.ts",
  "src/cli/host.ts",
  "src/cli/output/anthropic-shapes.ts",
  "src/cli/output/json.ts",
  "src/cli/output/result.ts",
  "src/cli/output/run-output.ts",
  "src/cli/output/text.ts",
  "src/cli/output/warnings.ts",
  "src/cli/process-host.ts",
  "src/cli/read-prompt.ts",
  "src/cli/report-failure.ts",
  "src/cli/run-prompt.ts",
  "src/cli/session-of.ts",
  "src/cli/stream-input.ts",
  "src/client/client.ts",
  "src/client/daemon-environment.ts",
  "src/client/follow-session.ts",
  "src/client/link.ts",
  "src/client/reach-daemon.ts",
  "src/client/send.ts",
  "src/client/spawn-daemon.ts",
  "src/config/credentials.ts",
  "src/config/modes.ts",
  "src/config/paths.ts",
  "src/main.ts",
  "src/protocol/outcome.ts",
  "src/protocol/permission.ts",
  "src/shared/async.ts",
  "src/shared/error.ts",
  "src/shared/line-splitter.ts",
  "src/shared/private-directory.ts",
  "src/shared/text.ts",
  "src/shared/uuid.ts",
];

const PROMPT_BUILTINS = ["node:net", "node:os", "node:path", "node:string_decoder", "node:url", "node:util"];

describe("what a start loads is a decision: whoever changes these lists makes every start pay", () => {
  it("--version: the entry alone", async () => {
    const { stdout, ...loaded } = await loadedBy("--version");
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(loaded).toEqual({ modules: ["src/main.ts"], builtins: ["node:os", "node:url"], others: [] });
  });

  it("-p: arguments, connection, output; no schema, store, screen or package", async () => {
    expect((await loadedBy("-p", "hi")).stdout).toBe("hello\n");
    const { stdout, ...loaded } = await loadedBy("-p", "hi");
    expect(stdout).toBe("hello\n");
    expect(loaded).toEqual({ modules: PROMPT_MODULES, builtins: PROMPT_BUILTINS, others: [] });
  });
});

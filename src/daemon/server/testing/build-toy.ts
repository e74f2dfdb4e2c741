import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { ToyOptions } from "./toy-daemon.ts";

/** The toy daemon as a script that plain Node runs, in a folder of its own. */
export type Toy = {
  script: string;
  /** Arguments for Node. */
  args(options: ToyOptions): string[];
  remove(): void;
};

export async function buildToy(): Promise<Toy> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-toy-"));
  const script = join(folder, "toy.mjs");
  await build({
    stdin: {
      contents: `import { runToyDaemon } from "./toy-daemon.ts"; await runToyDaemon(JSON.parse(process.argv[2]));`,
      resolveDir: resolve(import.meta.dirname),
      loader: "ts",
    },
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "error",
  });
  return {
    script,
    args: (options) => [script, JSON.stringify(options)],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How often the toy daemons of a state folder wrote this message. */
export function logged(stateDir: string, message: string): number[] {
  return readFileSync(join(stateDir, "logs", "daemon.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { message: string; pid: number })
    .filter((entry) => entry.message === message)
    .map((entry) => entry.pid);
}

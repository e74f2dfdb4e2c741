import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/** A module of this folder as a script that plain Node runs, with the packages in reach. */
export type Child = { script: string; remove(): void };

export async function buildChild(module: string): Promise<Child> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-store-child-"));
  const script = join(folder, "child.mjs");
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await build({
    entryPoints: [join(import.meta.dirname, module)],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["@photostructure/sqlite"],
    logLevel: "error",
  });
  return { script, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

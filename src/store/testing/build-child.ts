import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { commitForever, fillDisk } from "./child-work.ts";

/** A script that plain Node runs with a folder as its argument, the packages in reach. */
export type Child = { script: string; remove(): void };

type Work = { commitForever: typeof commitForever; fillDisk: typeof fillDisk };

export async function buildChild(work: keyof Work): Promise<Child> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-store-child-"));
  const script = join(folder, "child.mjs");
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await build({
    stdin: {
      contents: `import { ${work} } from "./child-work.ts"; await ${work}(process.argv[2]);`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
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

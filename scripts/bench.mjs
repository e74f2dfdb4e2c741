// Builds the product and the benchmark, runs it, and writes docs/performance.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const built = spawnSync("node", ["scripts/build.mjs"], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);
const folder = mkdtempSync(join(tmpdir(), "lathe-bench-build-"));
const outfile = join(folder, "bench.mjs");
await build({
  entryPoints: ["bench/main.ts"],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  loader: { ".md": "text" },
  banner: { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' },
});
// Certificates in the environment cost every Node process tens of milliseconds; figures are taken without.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const run = spawnSync("node", [outfile, ...process.argv.slice(2)], { stdio: "inherit", env: environment });
rmSync(folder, { recursive: true, force: true });
process.exit(run.status ?? 1);

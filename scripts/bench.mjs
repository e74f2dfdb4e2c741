// Builds the product and the benchmark and runs it; `npm run bench -- --help` says what it takes. The build goes
// to a folder of its own, so that nothing else can change it meanwhile.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const product = `node_modules/.cache/lathe-bench-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), "lathe-bench-build-"));
const removeAll = () => {
  for (const path of [product, folder]) rmSync(path, { recursive: true, force: true });
};
const built = spawnSync("node", ["scripts/build.mjs", "--outdir", product], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);
const outfile = join(folder, "bench.mjs");
await build({
  entryPoints: ["bench/main.ts"],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  loader: { ".md": "text" },
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
});
// Certificates in the environment cost every Node process tens of milliseconds; figures are taken without.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const run = spawnSync("node", [outfile, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...environment, LATHE_BENCH_MAIN: join(product, "main.js") },
});
removeAll();
process.exit(run.status ?? 1);

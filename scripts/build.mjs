// Bundles src/main.ts into dist/: one small entry, everything else in chunks that load when needed.
// `--outdir DIR` builds a copy elsewhere, say for tests that must not see another build; packages with native
// parts are found from there by node's own rules.
import { chmodSync, cpSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const { outdir } = parseArgs({ options: { outdir: { type: "string", default: "dist" } } }).values;
rmSync(outdir, { recursive: true, force: true });
const result = await build({
  entryPoints: { main: "src/main.ts" },
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  minify: true,
  keepNames: false,
  sourcemap: false,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  loader: { ".md": "text" },
  define: { LATHE_VERSION: JSON.stringify(version) },
  external: ["@photostructure/sqlite", "@vscode/ripgrep", "koffi"],
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  metafile: true,
  logLevel: "warning",
});
cpSync("src/demo/project", `${outdir}/demo-project`, { recursive: true });
chmodSync(`${outdir}/main.js`, 0o755);

const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(
  `built ${outdir}/ (${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KiB)`,
);

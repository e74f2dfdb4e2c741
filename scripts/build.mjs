// Bundles src/main.ts into dist/: one small entry, everything else in chunks that load when needed. The files are
// CommonJS (said by a package.json of their own), because Node starts those some ten milliseconds sooner than ES
// modules: esbuild splits ES modules only, so it is asked for them first and then turns each file over.
// `--outdir DIR` builds a copy elsewhere, say for tests that must not see another build; packages with native
// parts are found from there by node's own rules. `--metafile FILE` says which module went where.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { build, transform } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const { outdir, metafile } = parseArgs({
  options: { outdir: { type: "string", default: "dist" }, metafile: { type: "string" } },
}).values;
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
  write: false,
  metafile: true,
  logLevel: "warning",
});

/** `import()` of a sibling becomes a late `require`, and the file knows where it lies. */
async function toCommonJs({ path, text }) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20.19",
    minify: true,
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "__fileUrl" },
  });
  const head = path.endsWith("/main.js") ? "#!/usr/bin/env node\n" : "";
  const url = code.includes("__fileUrl")
    ? 'const __fileUrl=require("node:url").pathToFileURL(__filename).href;'
    : "";
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${head}"use strict";${url}${code}`);
}
await Promise.all(result.outputFiles.map(toCommonJs));
writeFileSync(`${outdir}/package.json`, '{"type":"commonjs"}\n');
if (metafile !== undefined) writeFileSync(metafile, JSON.stringify(result.metafile));
cpSync("src/demo/project", `${outdir}/demo-project`, { recursive: true });
chmodSync(`${outdir}/main.js`, 0o755);

const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(
  `built ${outdir}/ (${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KiB)`,
);

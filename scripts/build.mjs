// Bundles src/main.ts into dist/: one small entry, everything else in chunks that load when needed.
import { chmodSync, cpSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
const result = await build({
  entryPoints: { main: "src/main.ts" },
  outdir: "dist",
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
cpSync("src/demo/project", "dist/demo-project", { recursive: true });
chmodSync("dist/main.js", 0o755);

const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`built dist/ (${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} KiB)`);

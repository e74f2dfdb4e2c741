// Rooms and arrows: dependency-cruiser over the table in .dependency-cruiser.cjs. A check that can pass on
// nothing must say what it saw, so this one fails when it saw fewer modules than there are files.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && existsSync(file));
const found = spawnSync(
  process.execPath,
  [
    "node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
    "src",
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "json",
  ],
  { encoding: "utf8", maxBuffer: 1 << 28 },
);
if (!found.stdout) {
  console.error(found.stderr || "dependency-cruiser said nothing");
  process.exit(1);
}
const { modules, summary } = JSON.parse(found.stdout);
const seen = new Set(modules.map((module) => module.source));
const unseen = files.filter((file) => !seen.has(file));
for (const violation of summary.violations) {
  const cycle = violation.cycle?.map((step) => step.name).join(" -> ");
  console.error(`${violation.rule.name}: ${violation.from} -> ${cycle ?? violation.to}`);
}
for (const file of unseen) console.error(`not seen by dependency-cruiser: ${file}`);

// Every path that the guides name must exist.
const stale = [];
for (const guide of ["ARCHITECTURE.md", "AGENTS.md", "REVIEW.md", "README.md", "docs/security.md"]) {
  if (!existsSync(guide)) continue;
  for (const [, path] of readFileSync(guide, "utf8").matchAll(
    /`((?:src|test|scripts|bench|docs)\/[\w./-]+)`/g,
  )) {
    if (!existsSync(path)) stale.push(`${guide} names ${path}, which does not exist`);
  }
}
for (const line of stale) console.error(line);
if (summary.violations.length + unseen.length + stale.length > 0) process.exit(1);
console.log(`${files.length} files, no forbidden arrow`);

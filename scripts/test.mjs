// The whole test run: static checks, then unit, contract and end-to-end tests over a fresh build. The last lines
// are the test runner's own summary and one plain line.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const run = (command, args) => spawnSync(command, args, { stdio: "inherit" }).status ?? 1;

const checked = run("node", ["scripts/check.mjs"]);
if (checked !== 0) process.exit(checked);
const built = run("node", ["scripts/build.mjs"]);
if (built !== 0) process.exit(built);

// One newer major; skipped only on the word of whoever runs the tests.
if (process.env.LATHE_SKIP_NEWER_NODE !== "1") {
  const newer = run("node", ["scripts/newer-node.mjs"]);
  if (newer !== 0) process.exit(newer);
}

const report = join(tmpdir(), `lathe-test-report-${process.pid}.json`);
const status = run("npx", [
  "vitest",
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
]);
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
rmSync(report);
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
process.exit(status);

// The product on a newer Node than the one that runs the tests: installs that Node from its npm package into a
// temp folder and runs the main-job tests with the product started by it. Prints what it did; exits as they do.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VERSION = "22.23.3";
const name = `node-${process.platform}-${process.arch}`;
const folder = mkdtempSync(join(tmpdir(), "lathe-newer-node-"));
const run = (command, args, env = {}) =>
  spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;

const installed = run("npm", [
  "install",
  "--prefix",
  folder,
  "--no-save",
  "--no-audit",
  "--no-fund",
  "--ignore-scripts",
  "--silent",
  `${name}@${VERSION}`,
]);
const node = join(folder, "node_modules", name, "bin", "node");
if (installed !== 0 || !existsSync(node)) {
  console.error(`Node ${VERSION} could not be installed from ${name}`);
  process.exit(1);
}
console.log(`the main job on Node ${VERSION}`);
const status = run("npx", ["vitest", "run", "--project", "e2e", "test/e2e/main-job.test.ts"], {
  LATHE_NODE: node,
});
rmSync(folder, { recursive: true, force: true });
process.exit(status);

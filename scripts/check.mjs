// Everything that can be said without running the product: format, lint, arrows, types, unused code, docs.
import { spawn } from "node:child_process";

const steps = [
  ["format and lint", "npm", ["run", "-s", "check:format"]],
  ["arrows", "npm", ["run", "-s", "check:arrows"]],
  ["types", "npm", ["run", "-s", "check:types"]],
  ["unused code", "npm", ["run", "-s", "check:unused"]],
  ["generated docs", "node", ["scripts/docs.mjs", "--check"]],
];

const run = ([title, command, args]) =>
  new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (code) => resolve({ title, code, output, seconds: (Date.now() - started) / 1000 }));
  });

// Two at a time: the machines this runs on are small.
const results = [];
const queue = [...steps];
const worker = async () => {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const result = await run(step);
    results.push(result);
    console.log(
      `${result.code === 0 ? "ok    " : "FAILED"} ${result.title} (${result.seconds.toFixed(1)} s)`,
    );
    if (result.code !== 0) console.log(result.output);
  }
};
await Promise.all([worker(), worker()]);
process.exit(results.every((result) => result.code === 0) ? 0 : 1);

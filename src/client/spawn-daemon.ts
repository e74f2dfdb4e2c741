import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** How to start the daemon. */
export type StartDaemon = {
  command: string;
  args: string[];
  /** The daemon's whole environment; see `daemonEnvironment`. */
  environment: Record<string, string>;
  /** Takes what the daemon writes before or beside its own log: crashes, mostly. */
  outputFile: string;
};

/** A daemon that was asked to start. It may turn out that another one is there already. */
export type Starting = {
  /** Null while it runs; `failure` says what it wrote, and is null when it stepped back for another. */
  exit(): { failure: string | null } | null;
};

const MAX_OUTPUT_FILE = 1024 * 1024;
const SHOWN = 2000;

/** Starts the daemon in a session of its own, in `/`, with nothing of this process but an output file. */
export function spawnDaemon(start: StartDaemon): Starting {
  mkdirSync(dirname(start.outputFile), { recursive: true, mode: 0o700 });
  let output = openSync(start.outputFile, "a", 0o600);
  let from = fstatSync(output).size;
  if (from > MAX_OUTPUT_FILE) {
    closeSync(output);
    output = openSync(start.outputFile, "w", 0o600);
    from = 0;
  }
  let ended: { failed: string | null } | null = null;
  try {
    // Fetched when it is used: nearly always there is a daemon already.
    const child = process.getBuiltinModule("node:child_process").spawn(start.command, start.args, {
      detached: true,
      cwd: "/",
      env: start.environment,
      stdio: ["ignore", output, output],
    });
    child.once("error", (error) => {
      ended = { failed: error.message };
    });
    child.once("exit", (code, signal) => {
      ended = { failed: code === 0 ? null : `it ended with ${signal ?? `exit code ${code}`}` };
    });
    child.unref();
  } finally {
    closeSync(output);
  }
  return {
    exit() {
      if (ended === null) return null;
      return { failure: ended.failed === null ? null : lastWords(start.outputFile, from) || ended.failed };
    },
  };
}

function lastWords(file: string, from: number): string {
  try {
    return readFileSync(file).subarray(from).toString("utf8").trim().slice(-SHOWN);
  } catch {
    return "";
  }
}

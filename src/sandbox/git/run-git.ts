import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Folders of programs that no command of a session can write: our own helpers come only from here. */
export const SYSTEM_FOLDERS = [
  "/usr/bin",
  "/bin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/run/current-system/sw/bin",
];

/** The absolute path of a system program, or null. */
export function systemProgram(name: string, folders: readonly string[] = SYSTEM_FOLDERS): string | null {
  for (const folder of folders) {
    const path = join(folder, name);
    if (existsSync(path)) return path;
  }
  return null;
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 4_000_000;

/**
 * Lists the settings of one config file as git itself reads it, without what it includes: `[key, value]`, keys
 * in git's own spelling. `null` when git cannot read it. Starts nothing that the file names.
 */
export function listConfig(git: string, file: string): Promise<[string, string][] | null> {
  const args = ["config", "--file", file, "--no-includes", "--null", "--list"];
  const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
  return new Promise((done) => {
    execFile(git, args, { cwd: "/", env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }, (error, stdout) => {
      if (error) return done(null);
      const entries = stdout.split("\0").filter((entry) => entry !== "");
      done(entries.map(splitEntry));
    });
  });
}

/** `key\nvalue`; a key without a value is a switch that is on. */
function splitEntry(entry: string): [string, string] {
  const end = entry.indexOf("\n");
  return end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
}

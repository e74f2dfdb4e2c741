import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { errorCode } from "../../shared/error.ts";
import { MAX_FILE_MIB, ROOT_IGNORES, type SearchOptions, SKIPPED, type Start } from "./options.ts";

/** How a run ended: by itself (1 = no match, 2 = error), stopped by the reader, or no ripgrep there. */
export type RipgrepEnd =
  | { type: "exit"; code: number; stderr: string }
  | { type: "stopped" }
  | { type: "missing" };

const MAX_STDERR = 4_000;
const MAX_LINE = 1_000_000;

/**
 * Runs ripgrep and hands its output to `onLine` piece by piece, split at `separator`; when that gives false,
 * or the signal is aborted, the process is ended.
 */
export function runRipgrep(
  options: SearchOptions,
  start: Start,
  args: string[],
  separator: "\n" | "\0",
  onLine: (line: string) => boolean,
): Promise<RipgrepEnd> {
  if (options.ripgrep === null) return Promise.resolve({ type: "missing" });
  const program = options.ripgrep;
  return new Promise((done, failed) => {
    const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
      program,
      [...commonArgs(start), ...args, "--", start.real],
      {
        // Root-level ignore files are relative to the working directory.
        cwd: start.root,
        env: { PATH: options.environmentPath },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let stderr = "";
    let rest = "";
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      child.kill("SIGKILL");
    };
    options.signal.addEventListener("abort", stop, { once: true });
    if (options.signal.aborted) stop();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split(separator);
      rest = (lines.pop() ?? "").slice(0, MAX_LINE);
      if (!stopped && !lines.every(onLine)) stop();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(0, MAX_STDERR);
    });
    child.on("error", (error) => {
      options.signal.removeEventListener("abort", stop);
      if (errorCode(error) === "ENOENT" || errorCode(error) === "EACCES") done({ type: "missing" });
      else failed(error);
    });
    child.on("close", (code) => {
      options.signal.removeEventListener("abort", stop);
      if (!stopped && rest !== "") onLine(rest);
      done(stopped ? { type: "stopped" } : { type: "exit", code: code ?? 2, stderr });
    });
  });
}

/** The same files as the walk of ours: no config, no global ignore files, our list of names. */
function commonArgs(start: Start): string[] {
  const ignores = ROOT_IGNORES.map((name) => join(start.root, name)).filter((path) => existsSync(path));
  return [
    "--no-config",
    "--no-messages",
    "--no-require-git",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--color=never",
    "--sort=path",
    `--max-filesize=${MAX_FILE_MIB}M`,
    ...ignores.map((path) => `--ignore-file=${path}`),
    ...SKIPPED.map((name) => `--glob=!**/${name}`),
  ];
}

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { protectedName, secretPattern } from "../../sandbox/policy.ts";
import { isWithin } from "../../shared/fs.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt, RunRights } from "./attempt.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { ask } from "./questions.ts";
import { followLinks } from "./resolve-actions.ts";

/**
 * A command that failed because the sandbox kept it from paths outside its folders may be asked about once.
 * Gives the rights of a second attempt: the same, and the folders that the question named. Never for protected
 * paths or secrets, never headless, never in read-only mode; the sandbox stays on.
 */
export async function askToLeaveSandbox(
  attempt: Attempt,
  deniedPaths: readonly string[],
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<RunRights | null> {
  const { effect, signal, rights } = attempt;
  const mayAsk = effect.interactive && runtime.actor.state.mode !== "read-only" && !rights.unsandboxed;
  if (!mayAsk || signal.aborted || deniedPaths.length === 0) return null;
  const folders = foldersFor(deniedPaths, runtime);
  if (folders === null) return null;
  const answer = await ask(
    attempt,
    {
      kind: "escalation",
      title: `Run this command again, with write access to ${folders.join(", ")}?`,
      reason: `the sandbox kept it from writing ${deniedPaths.join(", ")}`,
      parts: folders.map((folder) => `write below ${folder}`),
      onceOnly: true,
      suggestions: [],
    },
    runtime,
    ports,
  );
  if (answer?.type !== "allow") return null;
  return {
    ...rights,
    approved: true,
    profile: "workspace-write",
    extraRoots: [...rights.extraRoots, ...folders],
  };
}

/**
 * What must be writable so that these paths can be: each one itself when it is a folder, else the folder it
 * lies in. Null when a path is protected or a secret, when protected names could lie in the folder, and when it
 * would open the home or the whole disk.
 */
export function foldersFor(paths: readonly string[], runtime: SessionRuntime): string[] | null {
  const { policy, place } = runtime;
  const folders = new Set<string>();
  for (const path of paths) {
    const real = followLinks(path);
    const folder = existingFolder(real);
    const closed = protectedName(policy, real, ["/"]) !== null || secretPattern(policy, real) !== null;
    if (closed || holdsProtected(folder, policy.protectedNames) || isTooWide(folder, place.home)) return null;
    folders.add(folder);
  }
  return [...folders];
}

function existingFolder(path: string): string {
  if (path === "/") return path;
  return existsSync(path) && statSync(path).isDirectory() ? path : existingFolder(dirname(path));
}

/** A root inside `.git` or `.config` would hide from the sandbox that `hooks/` below it is `.git/hooks/`. */
function holdsProtected(folder: string, names: readonly string[]): boolean {
  const parts = folder.split("/");
  return names.some((name) => name.includes("/") && parts.includes(name.split("/")[0] ?? ""));
}

/** Trees of the system: a yes to one file there must not open them to everything that a command does. */
const SYSTEM = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/proc",
  "/run",
  "/sbin",
  "/sys",
  "/usr",
];

const isTooWide = (folder: string, home: string): boolean =>
  folder === "/" ||
  folder === home ||
  home.startsWith(`${folder}/`) ||
  folder === "/var" ||
  SYSTEM.some((tree) => isWithin(tree, folder));

import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SandboxPolicy, SpawnSpec } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import type { Attachment } from "../network.ts";
import type { PipeSource } from "../supervisor/pipes.ts";
import { type Supervised, supervise } from "../supervisor.ts";
import type { Wall } from "../wall/wall.ts";
import type { WorkingDirectory } from "../working-directory.ts";
import { type BwrapCall, bwrapCall } from "./bwrap-arguments.ts";
import { EXCLUDES_FILE, insideEnvironment } from "./environment.ts";
import type { Covers } from "./mounts.ts";
import { COMMAND_FILE, shellWords } from "./shell.ts";

export type BwrapRun = {
  bwrap: string;
  covers: Covers;
  seccomp: Uint8Array | null;
  wall: Wall;
  place: WorkingDirectory;
  attachment: Attachment;
  excludes: Uint8Array;
  /** Words before everything: they put the command under limits of the machine. */
  launcher: readonly string[];
  pipes: PipeSource;
  /** Descriptors that must not reach the command. */
  inherited: readonly number[];
  now(): number;
};

/** Runs one command in bubblewrap. */
export function runBwrap(spec: SpawnSpec, run: BwrapRun): Promise<Supervised> {
  prepareTmp(spec.policy);
  const call = callFor(spec, run);
  const [file = run.bwrap, ...argv] = [...run.launcher, ...run.attachment.enter, run.bwrap, ...call.argv];
  return supervise(
    { file, argv, env: {}, cwd: "/", inputs: call.inputs, pipes: run.pipes, tree: { type: "namespace" } },
    {
      timeoutMs: spec.timeoutMs,
      outputBytes: spec.policy.limits.outputBytes,
      signal: spec.signal,
      onOutput: spec.onOutput,
      onStart: run.attachment.started,
      now: run.now,
    },
  );
}

function callFor(spec: SpawnSpec, run: BwrapRun): BwrapCall {
  const { policy } = spec;
  const writable = spec.profile === "workspace-write" && policy.mode === "workspace-write";
  const shell = shellWords(spec.command, policy.limits, run.inherited);
  const env = insideEnvironment(spec.env, policy, { isRoot: process.geteuid?.() === 0, excludes: true });
  return bwrapCall({
    policy,
    writable,
    wall: run.wall,
    covers: run.covers,
    env: { ...env, ...run.attachment.env },
    cwd: run.place.inside,
    argv: shell.argv,
    ownNetwork: run.attachment.enter.length === 0,
    files: [
      { path: EXCLUDES_FILE, bytes: run.excludes },
      ...(shell.file === null ? [] : [{ path: COMMAND_FILE, bytes: Buffer.from(shell.file) }]),
      ...run.attachment.files,
    ],
    seccomp: run.seccomp,
  });
}

/**
 * Makes the session's temp folder, and in it the places where roots below the host's /tmp appear. A link that
 * a command left in such a place is removed: mounts must not be led elsewhere.
 */
function prepareTmp(policy: SandboxPolicy): void {
  mkdirSync(join(policy.tmpDir, ".cache"), { recursive: true, mode: 0o700 });
  for (const name of topFoldersInTmp(policy)) {
    const path = join(policy.tmpDir, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) continue;
    if (found) rmSync(path, { force: true });
    mkdirSync(path, { mode: 0o700 });
  }
}

/** First components below /tmp of what must be seen there. */
export function topFoldersInTmp(policy: SandboxPolicy): string[] {
  const shown = [...policy.writableRoots, ...policy.readableRoots, ...policy.allowSockets];
  const names = shown.filter((path) => isWithin("/tmp", path)).map((path) => path.split("/")[2] ?? "");
  return [...new Set(names)].filter((name) => name !== "");
}

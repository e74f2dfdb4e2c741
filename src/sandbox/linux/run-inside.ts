import { join } from "node:path";
import type { BoundedText, CommandResult, Result, SandboxDenial, SpawnSpec } from "../../protocol/ports.ts";
import { errorMessage } from "../../shared/error.ts";
import { pathDenials, unresolvedNames } from "../denials.ts";
import type { ConfigReader } from "../git/config-files.ts";
import { type Attachment, type Network, NOT_CONNECTED } from "../network.ts";
import type { PipeSource } from "../supervisor/pipes.ts";
import type { ProcessEnd } from "../supervisor.ts";
import type { Entered, Roots } from "../wall/roots.ts";
import type { Wall } from "../wall/wall.ts";
import { type WorkingDirectory, workingDirectory } from "../working-directory.ts";
import { commandGroup } from "./cgroup.ts";
import { gitExcludes } from "./git-excludes.ts";
import type { Covers } from "./mounts.ts";
import { runBwrap } from "./run-bwrap.ts";

export type LinuxParts = {
  bwrap: string | null;
  covers: Covers;
  seccomp: Uint8Array | null;
  reader: ConfigReader;
  roots: Roots;
  network: Network;
  inherited: readonly number[];
  pipes: PipeSource;
};

/** What lies around a command may change until the mounts are made: a socket goes away, a file is renamed. */
const ATTEMPTS = 4;

type Attempt =
  | { type: "ended"; result: CommandResult }
  /** `again`: it may work with a wall built anew. */
  | { type: "not_set_up"; reason: string; again: boolean };

/** Runs one command in the sandbox. When it could not be set up, nothing of the command ran. */
export async function runInside(
  spec: SpawnSpec,
  parts: LinuxParts,
  options: { now(): number; newId(): string },
): Promise<Result<CommandResult>> {
  let reason = "";
  for (let tries = 0; tries < ATTEMPTS && !(tries > 0 && spec.signal.aborted); tries++) {
    try {
      const attempt = await attemptInside(spec, parts, options);
      if (attempt.type === "ended") return { ok: true, value: attempt.result };
      reason = attempt.reason;
      if (!attempt.again) break;
    } catch (error) {
      return failed(errorMessage(error));
    }
  }
  return failed(reason);
}

async function attemptInside(
  spec: SpawnSpec,
  parts: LinuxParts,
  options: { now(): number; newId(): string },
): Promise<Attempt> {
  const { roots, network } = parts;
  const writable = spec.profile === "workspace-write" && spec.policy.mode === "workspace-write";
  let entered: Entered | null = null;
  let attachment: Attachment = NOT_CONNECTED;
  try {
    entered = await roots.enter(spec.policy, { writable, compareGitConfig: spec.gitConfig === "compared" });
    attachment = await network.attach(spec);
    const place = workingDirectory(spec.cwd, spec.policy);
    const end = await start(spec, parts, { entered, attachment, place, ...options });
    if (typeof end === "string") {
      return { type: "not_set_up", reason: end, again: hasMoved(end, entered.wall) };
    }
    const refused = attachment.detach();
    const taken = await leave(entered);
    entered = null;
    return { type: "ended", result: await resultOf(spec, place, end, [...refused, ...taken]) };
  } finally {
    attachment.detach();
    await entered?.leave();
  }
}

type Surroundings = {
  entered: Entered;
  attachment: Attachment;
  place: WorkingDirectory;
  now(): number;
  newId(): string;
};

/** The end of the command, or why it could not begin. */
async function start(spec: SpawnSpec, parts: LinuxParts, around: Surroundings): Promise<ProcessEnd | string> {
  const { bwrap, covers, seccomp, inherited, pipes, reader } = parts;
  if (bwrap === null) return "bubblewrap is not installed";
  const group = commandGroup(spec.policy.limits, groupName(around.newId()));
  if (group === null) return "the limit of processes does not bind root, and no control group can be made";
  try {
    const { home } = spec.policy;
    const { wall } = around.entered;
    const own = await reader.read(join(home, ".gitconfig"), { home, top: home });
    const run = await runBwrap(spec, {
      ...{ bwrap, covers, seccomp, inherited, pipes, wall, now: around.now },
      ...{ place: around.place, attachment: around.attachment, launcher: group.launcher },
      excludes: gitExcludes(wall, home, own.excludes),
    });
    return run.started ? (setupFailure(run.end) ?? run.end) : run.reason;
  } finally {
    group.remove();
  }
}

/** Name of a control group; ids of others are not trusted to be plain. */
export const groupName = (id: string): string => `lathe-${process.pid}-${id.replace(/[^\w-]/g, "")}`;

/** Looks at what was left. What was taken away was a write that the sandbox undid. */
async function leave(entered: Entered): Promise<SandboxDenial[]> {
  const taken = await entered.leave();
  return taken.map((path) => ({ type: "path", path, operation: "write" }));
}

/**
 * What bubblewrap, or the program that enters the network, said when it ended before the command began. A
 * command may start a bubblewrap of its own; that one fails on its namespaces, which ours has proved.
 */
function setupFailure(end: ProcessEnd): string | null {
  const first = /^(bwrap|nsenter): (?!.*namespace).*$/m.exec(end.stderr.text);
  return end.exitCode === 1 && first?.index === 0 && end.stdout.totalBytes === 0 ? first[0] : null;
}

/** True when a mount failed at a path of the wall: what was there has gone or changed since it was built. */
function hasMoved(reason: string, wall: Wall): boolean {
  const sets = [wall.hiddenFiles, wall.hiddenDirectories, wall.emptiedFiles, wall.readOnly, wall.carried];
  return sets.some((paths) => [...paths].some((path) => reason.includes(path)));
}

const failed = (reason: string): Result<CommandResult> => ({
  ok: false,
  error: {
    code: "no_sandbox",
    message: `The command did not run, because its sandbox could not be set up: ${reason}`,
  },
});

async function resultOf(
  spec: SpawnSpec,
  place: WorkingDirectory,
  end: ProcessEnd,
  known: readonly SandboxDenial[],
): Promise<CommandResult> {
  const { policy, profile } = spec;
  const fromText = await pathDenials(end.stderr.text, { policy, cwd: place.host, profile });
  const names = policy.network.type === "none" ? unresolvedNames(end.stderr.text) : [];
  const denials = [
    ...known,
    ...fromText,
    ...names.map((domain): SandboxDenial => ({ type: "network", domain })),
  ];
  return {
    ...end,
    stderr: withNote(end.stderr, place.note),
    denials: [...new Map(denials.map((denial) => [JSON.stringify(denial), denial])).values()],
    sandbox: "bwrap",
  };
}

const withNote = (text: BoundedText, note: string | null): BoundedText =>
  note === null ? text : { ...text, text: note + text.text };

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { BoundedText, CommandResult, Result, SandboxDenial, SpawnSpec } from "../../protocol/ports.ts";
import { errorMessage } from "../../shared/error.ts";
import type { PlatformSandbox, SandboxOptions } from "../create.ts";
import { pathDenials, unresolvedNames } from "../denials.ts";
import { type ConfigReader, createConfigReader } from "../git/config-files.ts";
import { systemProgram } from "../git/run-git.ts";
import { type Attachment, type Network, NOT_CONNECTED } from "../network.ts";
import { systemResolver } from "../proxy/resolve.ts";
import type { ProcessEnd } from "../supervisor.ts";
import { createPlaceholders } from "../wall/placeholders.ts";
import { createQuarantine } from "../wall/quarantine.ts";
import { createRoots, type Entered, type Roots } from "../wall/roots.ts";
import { type WorkingDirectory, workingDirectory } from "../working-directory.ts";
import { makeCovers } from "./covers.ts";
import { createNetwork } from "./create-network.ts";
import { gitExcludes } from "./git-excludes.ts";
import type { Covers } from "./mounts.ts";
import { probeBwrap } from "./probe.ts";
import { runBwrap } from "./run-bwrap.ts";
import { seccompProgram } from "./seccomp.ts";
import { inheritedDescriptors } from "./shell.ts";

export type LinuxOptions = SandboxOptions & {
  /** Where the sandbox keeps what is its own. */
  folder: string;
  /** Where its programs are looked for. */
  folders: readonly string[];
};

type Parts = {
  bwrap: string | null;
  covers: Covers;
  seccomp: Uint8Array | null;
  reader: ConfigReader;
  roots: Roots;
  network: Network;
  inherited: readonly number[];
};

/** The sandbox of Linux: bubblewrap, seccomp, and the gate's network. */
export function createLinuxSandbox(options: LinuxOptions): PlatformSandbox {
  let made: Parts | null = null;
  const parts = (): Parts => {
    made ??= makeParts(options);
    return made;
  };
  return {
    async probe() {
      try {
        const { bwrap, covers, seccomp } = parts();
        const folder = join(options.folder, "probe");
        return await probeBwrap({
          bwrap,
          covers,
          seccomp,
          folder,
          now: options.now,
          missing: missingHere(seccomp),
        });
      } catch (error) {
        return {
          type: "unavailable",
          reason: errorMessage(error),
          mend: `Make ${options.stateDir} writable.`,
        };
      }
    },
    run: (spec) => runInside(spec, parts(), options),
    async release(sessionId) {
      await made?.network.release(sessionId);
      if (/^[\w-]+$/.test(sessionId))
        rmSync(join(options.tmpRoot, sessionId), { recursive: true, force: true });
    },
  };
}

function makeParts(options: LinuxOptions): Parts {
  const git = systemProgram("git", options.folders);
  const machine = options.machine ?? process.arch;
  const bwrap = systemProgram("bwrap", options.folders);
  const reader = createConfigReader(git);
  return {
    bwrap,
    covers: makeCovers(options.folder),
    inherited: inheritedDescriptors(),
    seccomp: machine === "x64" || machine === "arm64" ? seccompProgram(machine) : null,
    reader,
    roots: createRoots({
      reader,
      git,
      quarantine: createQuarantine(join(options.folder, "quarantine"), options.newId),
      placeholders: createPlaceholders(),
      now: options.now,
    }),
    network: createNetwork({
      bwrap,
      nsenter: systemProgram("nsenter", options.folders),
      node: process.execPath,
      resolver: options.resolver ?? systemResolver(),
      now: options.now,
      onDecision: options.onNetworkDecision,
    }),
  };
}

function missingHere(seccomp: Uint8Array | null): string[] {
  return [
    ...(seccomp === null ? ["the filter of system calls (no table for this machine)"] : []),
    ...(process.geteuid?.() === 0 ? ["the limit of processes (it does not bind root)"] : []),
  ];
}

async function runInside(
  spec: SpawnSpec,
  parts: Parts,
  options: LinuxOptions,
): Promise<Result<CommandResult>> {
  const { bwrap, covers, seccomp, roots, network, inherited } = parts;
  if (bwrap === null) return failed("bubblewrap is not installed");
  const writable = spec.profile === "workspace-write" && spec.policy.mode === "workspace-write";
  const place = workingDirectory(spec.cwd, spec.policy);
  let entered: Entered | null = null;
  let attachment: Attachment = NOT_CONNECTED;
  try {
    entered = await roots.enter(spec.policy, writable);
    attachment = await network.attach(spec);
    const { wall } = entered;
    const { home } = spec.policy;
    const own = await parts.reader.read(join(home, ".gitconfig"), { home, top: home });
    const excludes = gitExcludes(wall, home, own.excludes);
    const run = await runBwrap(spec, {
      ...{ bwrap, covers, seccomp, wall, place, attachment, excludes, launcher: [], inherited },
      now: options.now,
    });
    if (!run.started) return failed(run.reason);
    const setup = setupFailure(run.end);
    if (setup !== null) return failed(setup);
    const refused = attachment.detach();
    const taken = await entered.leave();
    entered = null;
    return { ok: true, value: await resultOf(spec, place, run.end, [...refused, ...asDenials(taken)]) };
  } catch (error) {
    return failed(errorMessage(error));
  } finally {
    attachment.detach();
    await entered?.leave();
  }
}

/** What bubblewrap, or the program that enters the network, said when it ended before the command began. */
function setupFailure(end: ProcessEnd): string | null {
  const first = /^(bwrap|nsenter): .*$/m.exec(end.stderr.text);
  return end.exitCode === 1 && first?.index === 0 && end.stdout.totalBytes === 0 ? first[0] : null;
}

const failed = (reason: string): Result<CommandResult> => ({
  ok: false,
  error: {
    code: "io",
    message: `The command did not run, because its sandbox could not be set up: ${reason}`,
  },
});

const asDenials = (paths: readonly string[]): SandboxDenial[] =>
  paths.map((path) => ({ type: "path", path, operation: "write" }));

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

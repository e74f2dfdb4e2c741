import { rmSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../shared/error.ts";
import { createConfigReader } from "../git/config-files.ts";
import { systemProgram } from "../git/run-git.ts";
import type { PlatformSandbox, SandboxOptions } from "../platform.ts";
import { systemResolver } from "../proxy/resolve.ts";
import type { PipeSource } from "../supervisor/pipes.ts";
import { createPlaceholders } from "../wall/placeholders.ts";
import { createQuarantine } from "../wall/quarantine.ts";
import { createRoots } from "../wall/roots.ts";
import { canLimitProcesses } from "./cgroup.ts";
import { makeCovers } from "./covers.ts";
import { createNetwork } from "./create-network.ts";
import { probeBwrap } from "./probe.ts";
import { groupName, type LinuxParts, runInside } from "./run-inside.ts";
import { seccompProgram } from "./seccomp.ts";
import { inheritedDescriptors } from "./shell.ts";

export type LinuxOptions = SandboxOptions & {
  pipes: PipeSource;
  /** Where the sandbox keeps what is its own. */
  folder: string;
  /** Where its programs are looked for. */
  folders: readonly string[];
};

/** The sandbox of Linux: bubblewrap, seccomp, and the gate's network. */
export function createLinuxSandbox(options: LinuxOptions): PlatformSandbox {
  let made: LinuxParts | null = null;
  const parts = (): LinuxParts => {
    // Without bubblewrap nothing ran with them yet: it may have been installed since.
    if (made === null || made.bwrap === null) made = makeParts(options);
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
          missing: missingHere(seccomp, groupName(options.newId())),
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

function makeParts(options: LinuxOptions): LinuxParts {
  const git = systemProgram("git", options.folders);
  const machine = options.machine ?? process.arch;
  const bwrap = systemProgram("bwrap", options.folders);
  const reader = createConfigReader(git);
  return {
    bwrap,
    covers: makeCovers(options.folder),
    inherited: inheritedDescriptors(),
    pipes: options.pipes,
    seccomp: machine === "x64" || machine === "arm64" ? seccompProgram(machine) : null,
    reader,
    roots: createRoots({
      reader,
      git,
      quarantine: createQuarantine(join(options.folder, "quarantine"), options.newId),
      placeholders: createPlaceholders(join(options.folder, "placeholders.json")),
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

function missingHere(seccomp: Uint8Array | null, name: string): string[] {
  return [
    ...(seccomp === null ? ["the filter of system calls (no table for this machine)"] : []),
    ...(process.geteuid?.() === 0 && !canLimitProcesses(name)
      ? ["the limit of processes (it does not bind root, and no control group can be made)"]
      : []),
  ];
}

import { join } from "node:path";
import type { CommandResult, Result, SandboxPort, SandboxState } from "../protocol/ports.ts";
import { SYSTEM_FOLDERS } from "./git/run-git.ts";
import { createLinuxSandbox } from "./linux/create-linux.ts";
import { createMacosSandbox } from "./macos/create-macos.ts";
import { runBare } from "./none/run-bare.ts";
import type { PlatformSandbox, SandboxOptions } from "./platform.ts";
import { createPipeSource, type PipeSource } from "./supervisor/pipes.ts";

/** The sandbox of this machine. Commands run bare only when their spec says so. */
export function createSandbox(options: SandboxOptions): SandboxPort {
  const pipes = createPipeSource(join(options.stateDir, "sandbox/pipes"), options.newId);
  const platform = createPlatform(options, pipes);
  const probe = repeatedProbe(() => platform.probe(), options.now);
  return {
    probe,
    async run(spec) {
      if (spec.unsandboxed) return runBare(spec, { ...options, pipes });
      const found = await probe();
      if (found.type !== "ready") return refusal(found);
      return platform.run(spec);
    },
    release: (sessionId) => platform.release(sessionId),
  };
}

const PROBE_AGAIN_MS = 3000;

/** A sandbox that was found stays found; one that was not is looked for again, at most every three seconds. */
export function repeatedProbe(
  probe: () => Promise<SandboxState>,
  now: () => number,
): () => Promise<SandboxState> {
  let last: Promise<SandboxState> | null = null;
  let failedAt: number | null = null;
  return () => {
    if (last !== null && (failedAt === null || now() - failedAt < PROBE_AGAIN_MS)) return last;
    failedAt = null;
    last = probe().then(
      (state) => {
        if (state.type === "unavailable") failedAt = now();
        return state;
      },
      (error: unknown) => {
        failedAt = now();
        throw error;
      },
    );
    return last;
  };
}

function refusal(state: Exclude<SandboxState, { type: "ready" }>): Result<CommandResult> {
  const text = state.type === "unavailable" ? `${state.reason}. ${state.mend}` : "it is switched off";
  return {
    ok: false,
    error: { code: "no_sandbox", message: `The command did not run: there is no sandbox: ${text}` },
  };
}

function createPlatform(options: SandboxOptions, pipes: PipeSource): PlatformSandbox {
  const platform = options.platform ?? process.platform;
  const folder = join(options.stateDir, "sandbox");
  const folders = options.programFolders ?? SYSTEM_FOLDERS;
  if (platform === "linux") return createLinuxSandbox({ ...options, folder, folders, pipes });
  if (platform === "darwin") return createMacosSandbox({ ...options, pipes });
  return unsupported(platform);
}

function unsupported(platform: string): PlatformSandbox {
  return {
    probe: () =>
      Promise.resolve({
        type: "unavailable",
        reason: `there is no sandbox for ${platform}`,
        mend: "Use Linux, macOS or WSL 2.",
      }),
    run: () => Promise.resolve({ ok: false, error: { code: "io", message: `no sandbox for ${platform}` } }),
    release: () => Promise.resolve(),
  };
}

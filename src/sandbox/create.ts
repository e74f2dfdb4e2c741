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
  let state: Promise<SandboxState> | null = null;
  const probe = (): Promise<SandboxState> => {
    state ??= platform.probe();
    return state;
  };
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

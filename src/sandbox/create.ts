import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { CommandResult, Result, SandboxPort, SandboxState, SpawnSpec } from "../protocol/ports.ts";

export function createSandbox(_options: { stateDir: string; tmpRoot: string; home: string; now: () => number; newId: () => string }): SandboxPort {
  const state: SandboxState = existsSync("/usr/bin/bwrap")
    ? { type: "ready", kind: "bwrap", missing: [] }
    : { type: "unavailable", reason: "bubblewrap is not installed", mend: "apt-get install bubblewrap" };
  return {
    probe: () => Promise.resolve(state),
    release: () => Promise.resolve(),
    run: (spec) => run(spec),
  };
}

function run(spec: SpawnSpec): Promise<Result<CommandResult>> {
  const started = Date.now();
  const binds = spec.profile === "read-only" ? [] : spec.policy.writableRoots.flatMap((root) => ["--bind", root, root]);
  const args = [
    "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--bind", spec.policy.tmpDir, "/tmp", ...binds,
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent", "--new-session", "--chdir", spec.cwd,
    "/bin/bash", "--noprofile", "--norc", "-c", spec.command,
  ];
  return new Promise((resolve) => {
    const child = spawn("/usr/bin/bwrap", args, { env: spec.env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const out = ["", ""];
    let timedOut = false;
    const kill = (): void => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {}
    };
    child.stdout.on("data", (data) => (out[0] = (out[0] + data).slice(0, 1_000_000)));
    child.stderr.on("data", (data) => (out[1] = (out[1] + data).slice(0, 1_000_000)));
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, spec.timeoutMs);
    spec.signal.addEventListener("abort", kill, { once: true });
    child.on("exit", (exitCode, signal) => {
      clearTimeout(timer);
      setTimeout(() => {
        const text = (index: number) => ({ text: out[index] ?? "", totalBytes: (out[index] ?? "").length, cut: false });
        resolve({
          ok: true,
          value: { exitCode, signal, timedOut, interrupted: spec.signal.aborted, stdout: text(0), stderr: text(1), durationMs: Date.now() - started, denials: [], sandbox: "bwrap" },
        });
      }, 20);
    });
  });
}

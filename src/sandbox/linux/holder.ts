import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { signalProcess } from "../supervisor/process-tree.ts";

/** A process that keeps a network namespace alive; it ends with the daemon. */
export type Holder = {
  pid: number;
  /** True until it has ended. */
  alive(): boolean;
  end(): void;
};

/** Starts a holder: user and network namespace, loopback only. Rejects with what bubblewrap said. */
export function startHolder(bwrap: string): Promise<Holder> {
  const words = [
    "--unshare-user",
    "--unshare-net",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
  ];
  const child = spawn(
    bwrap,
    [...words, "--ro-bind", "/", "/", "--dev", "/dev", "--info-fd", "3", "--", "/bin/sleep", "infinity"],
    { cwd: "/", env: {}, detached: true, stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  return new Promise((resolve, reject) => {
    let stderr = "";
    let info = "";
    let alive = true;
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-1000);
    });
    child.once("error", reject);
    child.once("exit", () => {
      alive = false;
      reject(new Error(`the network of the session could not be made: ${stderr.trim()}`));
    });
    (child.stdio[3] as Readable).on("data", (chunk: Buffer) => {
      info += chunk.toString("utf8");
      const pid = /"child-pid": (\d+)/.exec(info)?.[1];
      if (pid !== undefined)
        resolve({ pid: Number(pid), alive: () => alive, end: () => endHolder(child, Number(pid)) });
    });
  });
}

function endHolder(child: ChildProcess, pid: number): void {
  signalProcess(pid, "SIGKILL");
  if (child.pid !== undefined) signalProcess(child.pid, "SIGKILL");
}

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

/** In its own network any user may listen on any port: the resolver's is 53, and servers may want 80. */
const PROGRAM = "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; exec sleep infinity";

/**
 * Starts a holder: user and network namespace, loopback only. Rejects with what bubblewrap said. It must not ask
 * for a /dev of its own: for a plain user bubblewrap would then end in a second user namespace, from which the
 * network of the first cannot be entered.
 */
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
    [
      ...words,
      "--cap-add",
      "CAP_NET_ADMIN",
      "--bind",
      "/",
      "/",
      "--info-fd",
      "3",
      "--",
      "/bin/sh",
      "-c",
      PROGRAM,
    ],
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

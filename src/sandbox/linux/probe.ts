import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { SandboxPolicy, SandboxState } from "../../protocol/ports.ts";
import { supervise } from "../supervisor.ts";
import { emptyWall } from "../wall/wall.ts";
import { bwrapCall } from "./bwrap-arguments.ts";
import type { Covers } from "./mounts.ts";

export type ProbeOptions = {
  bwrap: string | null;
  covers: Covers;
  seccomp: Uint8Array | null;
  /** A folder for the probe's files. */
  folder: string;
  now(): number;
  /** What the machine cannot enforce. */
  missing: string[];
};

const TIMEOUT_MS = 10_000;

/** Runs one command in the sandbox that tries what must fail, and believes nothing but what came of it. */
export async function probeBwrap(options: ProbeOptions): Promise<SandboxState> {
  if (options.bwrap === null)
    return { type: "unavailable", reason: "bubblewrap (bwrap) is not installed", mend: installText() };
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(options.folder, "probe-"));
  try {
    return await probeIn(folder, options.bwrap, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function probeIn(folder: string, bwrap: string, options: ProbeOptions): Promise<SandboxState> {
  const [root, tmp, outside] = ["root", "tmp", "outside"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [root, tmp, outside]) mkdirSync(path);
  const listener = await listen();
  const script = `: > ${quote(join(outside, "written"))}; (exec 3<>/dev/tcp/127.0.0.1/${listener.port}) && echo CONNECTED; : > inside && echo WROTE`;
  const call = bwrapCall({
    policy: probePolicy(root, tmp),
    writable: true,
    wall: emptyWall(),
    covers: options.covers,
    env: { PATH: "/usr/bin:/bin" },
    cwd: root,
    argv: ["/bin/bash", "--noprofile", "--norc", "-c", script],
    ownNetwork: true,
    files: [],
    seccomp: options.seccomp,
  });
  const run = await supervise(
    { file: bwrap, argv: call.argv, env: {}, cwd: "/", inputs: call.inputs, tree: { type: "namespace" } },
    { timeoutMs: TIMEOUT_MS, outputBytes: 10_000, signal: new AbortController().signal, now: options.now },
  );
  const reached = await listener.close();
  if (!run.started) return { type: "unavailable", reason: run.reason, mend: installText() };
  const { stdout, stderr } = run.end;
  if (!stdout.text.includes("WROTE")) return unavailable(stderr.text);
  if (existsSync(join(outside, "written")) || stdout.text.includes("CONNECTED") || reached > 0) {
    return {
      type: "unavailable",
      reason: "the sandbox started but did not hold: a forbidden write or connection succeeded in its probe",
      mend: "Run commands on a machine with a newer kernel and bubblewrap 0.8 or later, and report this.",
    };
  }
  return { type: "ready", kind: "bwrap", missing: options.missing };
}

function unavailable(stderr: string): SandboxState {
  const reason = `bubblewrap could not start: ${stderr.trim().split("\n").pop() ?? "no message"}`;
  if (/unknown option|--disable-userns/i.test(stderr)) {
    return { type: "unavailable", reason, mend: "Install bubblewrap 0.8 or later." };
  }
  return { type: "unavailable", reason, mend: namespaceText() };
}

/** How to get bubblewrap, for the distribution that this is. */
function installText(): string {
  const id = osRelease();
  const command = /\b(fedora|rhel|centos|rocky|alma)\b/.test(id)
    ? "sudo dnf install bubblewrap"
    : /\b(arch|manjaro)\b/.test(id)
      ? "sudo pacman -S bubblewrap"
      : /\b(suse|opensuse)\b/.test(id)
        ? "sudo zypper install bubblewrap"
        : /\balpine\b/.test(id)
          ? "sudo apk add bubblewrap"
          : /\bnixos\b/.test(id)
            ? "nix-env -iA nixos.bubblewrap"
            : "sudo apt-get install bubblewrap";
  return `Install it: ${command}. Or start with --sandbox none to run commands bare, at your own risk.`;
}

/** How to let bubblewrap make user namespaces. */
function namespaceText(): string {
  const settings: [string, (value: string) => boolean, string][] = [
    [
      "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
      (value) => value === "1",
      "AppArmor keeps programs from making user namespaces (Ubuntu 23.10 and later). Allow it for bubblewrap: put `abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }` into /etc/apparmor.d/bwrap and run `sudo systemctl reload apparmor`. Or for all programs: `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
    ],
    [
      "/proc/sys/kernel/unprivileged_userns_clone",
      (value) => value === "0",
      "User namespaces are off: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
    ],
    [
      "/proc/sys/user/max_user_namespaces",
      (value) => Number(value) === 0,
      "User namespaces are off: `sudo sysctl user.max_user_namespaces=15000`.",
    ],
  ];
  for (const [file, applies, text] of settings) {
    const value = textOf(file).trim();
    if (value !== "" && applies(value)) return text;
  }
  return "User namespaces do not work here. In a container, start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined` or as a privileged one; else ask the administrator. Or start with --sandbox none, at your own risk.";
}

const osRelease = (): string =>
  textOf("/etc/os-release")
    .match(/^ID(?:_LIKE)?=.*$/gm)
    ?.join(" ")
    .toLowerCase() ?? "";

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A listener on loopback that counts who comes. */
async function listen(): Promise<{ port: number; close(): Promise<number> }> {
  let reached = 0;
  const server = createServer((socket) => {
    reached++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => new Promise((done) => server.close(() => done(reached))),
  };
}

function probePolicy(root: string, tmp: string): SandboxPolicy {
  return {
    mode: "workspace-write",
    writableRoots: [root],
    readableRoots: [],
    home: "/nonexistent",
    tmpDir: tmp,
    denyRead: [],
    allowRead: [],
    protectedNames: [],
    network: { type: "none" },
    allowSockets: [],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 10_000 },
  };
}

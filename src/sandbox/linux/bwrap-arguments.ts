import { type MountPlan, mountArguments } from "./mounts.ts";

export type BwrapPlan = MountPlan & {
  env: Record<string, string>;
  /** As seen inside. */
  cwd: string;
  argv: readonly string[];
  /** True: no network but its own loopback. False: the namespace that bubblewrap was started in. */
  ownNetwork: boolean;
  /** Files made inside from bytes: where, and what. */
  files: readonly { path: string; bytes: Uint8Array }[];
  seccomp: Uint8Array | null;
};

/** What to start bubblewrap with: all but the command goes through a descriptor; lists of processes show no value. */
export type BwrapCall = { argv: string[]; inputs: Uint8Array[] };

/** First descriptor of `inputs` in the started process. */
const FIRST_INPUT = 3;

export function bwrapCall(plan: BwrapPlan): BwrapCall {
  const inputs: Uint8Array[] = [];
  const descriptor = (bytes: Uint8Array): string => {
    inputs.push(bytes);
    // Descriptor 3 holds the arguments themselves.
    return String(FIRST_INPUT + inputs.length);
  };
  const options = [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(plan.ownNetwork ? ["--unshare-net"] : []),
    ...["--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent"],
    ...mountArguments(plan),
    ...plan.files.flatMap(({ path, bytes }) => ["--ro-bind-data", descriptor(bytes), path]),
    ...(plan.seccomp ? ["--seccomp", descriptor(plan.seccomp)] : []),
    "--clearenv",
    ...Object.entries(plan.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", plan.cwd],
  ];
  const bytes = Buffer.from(options.map((option) => `${option}\0`).join(""));
  return { argv: ["--args", String(FIRST_INPUT), "--", ...plan.argv], inputs: [bytes, ...inputs] };
}

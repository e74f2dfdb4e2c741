import type { OptionSpec } from "./options.ts";

export type PrefixSpec = OptionSpec & {
  /** Operands before the command. */
  operands?: number;
  /** True when it has no effect of its own. */
  transparent: boolean;
  /** `NAME=value` may come before the command. */
  assignments?: boolean;
  /** Options with which nothing is started. */
  asks?: readonly string[];
  /** Options that give it an effect of its own. */
  opaque?: readonly string[];
  /** The option whose value is text for a shell. */
  text?: string;
};

/** Wrappers that start the words after their options. */
export const PREFIXES: Readonly<Record<string, PrefixSpec | undefined>> = {
  sudo: {
    flags:
      "-A -b -B -E -e -H -i -K -k -l -N -n -P -S -s -V -v --askpass --background --preserve-env --edit --set-home --login --non-interactive --stdin --shell --reset-timestamp",
    values:
      "-u -g -h -p -C -c -r -t -T -U -D -R -a --user --group --host --prompt --chdir --chroot --close-from --role --type --command-timeout --other-user",
    transparent: false,
    assignments: true,
  },
  doas: { flags: "-n -s -L", values: "-u -C -a", transparent: false, assignments: true },
  pkexec: { flags: "--disable-internal-agent --keep-cwd", values: "--user", transparent: false },
  nice: {
    flags: "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9",
    values: "-n --adjustment",
    transparent: true,
  },
  ionice: { flags: "-t --ignore", values: "-c -n -p -P -u --class --classdata --pid", transparent: true },
  chrt: { flags: "-b -f -i -o -r -R -a -v", values: "-T -P -D", operands: 1, transparent: true },
  taskset: { flags: "-a -c", values: "", operands: 1, transparent: true },
  timeout: {
    flags: "--preserve-status --foreground -v --verbose -f -p",
    values: "-k -s --kill-after --signal",
    operands: 1,
    transparent: true,
  },
  stdbuf: { flags: "", values: "-i -o -e --input --output --error", transparent: true },
  setsid: { flags: "-c -f -w --ctty --fork --wait", values: "", transparent: true },
  nohup: { flags: "", values: "", transparent: true },
  time: {
    flags: "-p -a -v -V -q --portability --append --verbose --quiet",
    values: "-f -o --format --output",
    transparent: true,
    opaque: ["-o", "--output"],
  },
  command: { flags: "-p -v -V", values: "", transparent: true, asks: ["-v", "-V"] },
  builtin: { flags: "", values: "", transparent: true },
  exec: { flags: "-c -l", values: "-a", transparent: true },
  coproc: { flags: "", values: "", transparent: true },
  flock: {
    flags: "-s -x -u -n -e -o -F --shared --exclusive --unlock --nonblock --close --verbose",
    values: "-w -E -c --timeout --wait --conflict-exit-code --command",
    operands: 1,
    transparent: false,
    text: "-c",
  },
  chroot: { flags: "--skip-chdir", values: "--userspec --groups", operands: 1, transparent: false },
};

/** Programs that start a command after a sub-command of theirs; none = at once. */
export const RUNNERS: Readonly<Record<string, readonly string[] | undefined>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  uv: ["run"],
  pipx: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  hatch: ["run"],
  rye: ["run"],
  bundle: ["exec"],
  direnv: ["exec"],
  mise: ["exec", "x"],
  asdf: ["exec"],
  nix: ["develop", "shell"],
  docker: ["run", "exec"],
  podman: ["run", "exec"],
  kubectl: ["exec"],
  perf: ["stat", "record", "trace"],
  cargo: ["watch"],
};

/** Programs that hand text to a shell: the option before it, or "" for their operands. */
export const TEXT_WRAPPERS: Readonly<Record<string, string | undefined>> = {
  su: "-c",
  runuser: "-c",
  script: "-c",
  ssh: "",
  watch: "",
  hyperfine: "",
  "nix-shell": "--run",
  concurrently: "",
  nodemon: "--exec",
  tmux: "",
  screen: "",
  at: "",
  batch: "",
};

/** Programs whose operands hold a command somewhere. */
export const GUESSED: ReadonlySet<string> = new Set(
  (
    "strace ltrace unshare nsenter fakeroot fakechroot xvfb-run firejail proot unbuffer rlwrap caffeinate " +
    "setarch linux32 linux64 arch dbus-run-session dbus-launch setpriv runcon numactl cgexec tini dumb-init " +
    "gdb valgrind systemd-run systemd-inhibit entr sem chpst softlimit setuidgid s6-setuidgid envdir dotenv " +
    "cross-env env-cmd chronic ifne ts sshpass expect bwrap sandbox-exec torsocks proxychains proxychains4 " +
    "trickle prlimit catchsegv winpty wsl daemonize start-stop-daemon"
  ).split(" "),
);

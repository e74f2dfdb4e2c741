import { join } from "node:path";

/** Where lathe keeps what is its own. */
export type LathePaths = {
  home: string;
  configDir: string;
  /** The user's settings. */
  configFile: string;
  /** The user's rules for single projects. */
  projectRulesFile: string;
  /** Settings of the machine's administrator; not ours to write. */
  managedConfigFile: string;
  stateDir: string;
  runtimeDir: string;
  socketPath: string;
  /** What a running daemon says of itself. */
  daemonFile: string;
  logFile: string;
  /** What a daemon writes beside its log: crashes, mostly. */
  daemonOutput: string;
  /** Parent of the sessions' private temp folders. */
  tmpDir: string;
  trustFile: string;
  historyFile: string;
};

/** The longest socket path that every system allows, with room for the name. */
const MAX_SOCKET_PATH = 100;

/**
 * XDG folders where set, else their defaults below the home. A runtime folder whose socket path would be too
 * long, or that is not set, is replaced by one below the state folder, else by /tmp/lathe-<uid>.
 */
export function lathePaths(options: {
  environment: Record<string, string | undefined>;
  home: string;
  uid: number;
}): LathePaths {
  const { environment, home, uid } = options;
  const xdg = (name: string, fallback: string): string => {
    const value = environment[name];
    // The specification says that relative paths are to be ignored.
    return value?.startsWith("/") ? value : join(home, fallback);
  };
  const configDir = join(xdg("XDG_CONFIG_HOME", ".config"), "lathe");
  const stateDir = join(xdg("XDG_STATE_HOME", ".local/state"), "lathe");
  const runtime = environment.XDG_RUNTIME_DIR;
  const candidates = [
    ...(runtime?.startsWith("/") ? [join(runtime, "lathe")] : []),
    join(stateDir, "run"),
    `/tmp/lathe-${uid}`,
  ];
  const runtimeDir =
    candidates.find((folder) => Buffer.byteLength(join(folder, "daemon.sock")) <= MAX_SOCKET_PATH) ??
    `/tmp/lathe-${uid}`;
  return {
    home,
    configDir,
    configFile: join(configDir, "config.json"),
    projectRulesFile: join(configDir, "project-rules.json"),
    managedConfigFile: "/etc/lathe/config.json",
    stateDir,
    runtimeDir,
    socketPath: join(runtimeDir, "daemon.sock"),
    daemonFile: join(stateDir, "daemon", "daemon.json"),
    logFile: join(stateDir, "logs", "daemon.log"),
    daemonOutput: join(stateDir, "logs", "daemon.out"),
    tmpDir: join(stateDir, "tmp"),
    trustFile: join(stateDir, "trust.json"),
    historyFile: join(stateDir, "history.jsonl"),
  };
}

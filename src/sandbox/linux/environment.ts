import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxPolicy } from "../../protocol/ports.ts";

/** Where caches go inside: the home is not writable, and the session's /tmp lives as long as the session. */
const CACHE = "/tmp/.cache";

/** File inside that tells git what not to see. */
export const EXCLUDES_FILE = "/run/lathe/git-excludes";

/** Variables that lead to services of the host, which are out of view. */
const HOST_SERVICES = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
  "WAYLAND_DISPLAY",
  "DISPLAY",
  "XAUTHORITY",
  "TMUX",
  "STY",
];

/**
 * The environment inside: what the caller gave, with temp folder, caches and run-time folder led to places
 * that are writable, and without what leads to services of the host.
 */
export function insideEnvironment(
  given: Record<string, string>,
  policy: SandboxPolicy,
  options: { isRoot: boolean; excludes: boolean },
): Record<string, string> {
  const env: Record<string, string> = { ...given };
  for (const name of HOST_SERVICES) {
    const value = env[name];
    if (value !== undefined && !policy.allowSockets.some((path) => value.includes(path))) delete env[name];
  }
  Object.assign(
    env,
    { TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp", XDG_RUNTIME_DIR: "/run" },
    cacheFolders(policy),
  );
  // Inside there is one user; files of others cannot be given to them.
  if (options.isRoot) env.TAR_OPTIONS = `${env.TAR_OPTIONS ?? ""} --no-same-owner`.trim();
  return options.excludes ? withGitSetting(env, "core.excludesFile", EXCLUDES_FILE) : env;
}

function cacheFolders(policy: SandboxPolicy): Record<string, string> {
  const { home } = policy;
  const browsers = join(home, ".cache/ms-playwright");
  const modules = join(home, "go/pkg/mod/cache/download");
  return {
    XDG_CACHE_HOME: CACHE,
    npm_config_cache: `${CACHE}/npm`,
    pnpm_config_store_dir: `${CACHE}/pnpm`,
    YARN_CACHE_FOLDER: `${CACHE}/yarn`,
    BUN_INSTALL_CACHE_DIR: `${CACHE}/bun`,
    PIP_CACHE_DIR: `${CACHE}/pip`,
    GOCACHE: `${CACHE}/go-build`,
    GOMODCACHE: `${CACHE}/go-mod`,
    GOFLAGS: "-modcacherw",
    ...(existsSync(modules) ? { GOPROXY: `file://${modules},https://proxy.golang.org,direct` } : {}),
    // Its own downloads can be used as they are; new ones need a place, and only a command with a gate gets any.
    ...(policy.network.type === "gate" ? { CARGO_HOME: `${CACHE}/cargo` } : {}),
    GRADLE_USER_HOME: `${CACHE}/gradle`,
    ...(existsSync(browsers) ? { PLAYWRIGHT_BROWSERS_PATH: browsers } : {}),
  };
}

/** Adds a setting for every git inside, behind those that the environment holds already. */
function withGitSetting(env: Record<string, string>, key: string, value: string): Record<string, string> {
  const count = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: key,
    [`GIT_CONFIG_VALUE_${count}`]: value,
  };
}

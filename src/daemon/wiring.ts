import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, hostname, release, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type LathePaths, lathePaths } from "../config/paths.ts";
import { saveRule } from "../config/project-rules.ts";
import { createTrust } from "../config/trust.ts";
import { createModelPort } from "../model/stream.ts";
import { createSandbox } from "../sandbox/create.ts";
import { createLog, type Log } from "../shared/log.ts";
import { uuidv7 } from "../shared/uuid.ts";
import { openStore } from "../store/open.ts";
import type { EffectPorts } from "./effects/effect-ports.ts";
import { requireModel } from "./effects/find-model.ts";
import { electDaemon } from "./lifecycle/elect-daemon.ts";
import { createIdleExit } from "./lifecycle/idle-exit.ts";
import { installShutdown } from "./lifecycle/shutdown.ts";
import { createSettings, idleMinutesOf } from "./load-settings.ts";
import { createTranscripts } from "./ports/transcripts.ts";
import type { Handlers } from "./server/handlers.ts";
import { commandMethods } from "./server/methods/command-methods.ts";
import { compactionMethods } from "./server/methods/compaction-methods.ts";
import { controlMethods } from "./server/methods/control-methods.ts";
import { libraryMethods } from "./server/methods/library-methods.ts";
import type { MethodPorts } from "./server/methods/method-ports.ts";
import { policyMethods } from "./server/methods/policy-methods.ts";
import { sessionMethods } from "./server/methods/session-methods.ts";
import { taskMethods } from "./server/methods/task-methods.ts";
import { startServer } from "./server/start-server.ts";
import { createHub } from "./sessions/hub.ts";
import type { HubPorts } from "./sessions/hub-ports.ts";
import { createLending } from "./sessions/lend.ts";
import { createPresence } from "./sessions/presence.ts";
import { createWatchers } from "./sessions/watchers.ts";

type Start = { version: string; environment: NodeJS.ProcessEnv };

/** Puts the daemon together and serves until it is told to stop or was idle for long enough. */
export async function runDaemon({ version, environment }: Start): Promise<void> {
  const home = environment.HOME ?? homedir();
  const paths = lathePaths({ environment, home, uid: userInfo().uid });
  const startedAt = Date.now();
  const election = await electDaemon({
    stateDir: paths.stateDir,
    record: { version, socketPath: paths.socketPath, startedAt },
  });
  if (!election.won) return;
  const log = createLog({ file: paths.logFile, level: "info", now: Date.now });
  const store = await openStore({
    dir: paths.stateDir,
    now: Date.now,
    log: (text) => log.write("warn", text),
  });
  const watchers = createWatchers();
  const presence = createPresence();
  const effects = effectPorts({ store, paths, home, log, watchers, environment });
  const trust = createTrust(paths);
  const privateDirs = [paths.stateDir, paths.configDir, paths.runtimeDir];
  const settings = createSettings({ paths, privateDirs, isTrusted: trust.isTrusted });
  const idleMinutes = idleMinutesOf(paths, (text) => log.write("warn", text));
  const hideSecrets = (secrets: readonly string[]): void => {
    for (const secret of secrets) log.hide(secret);
  };
  const hubPorts: HubPorts = {
    effects,
    watchers,
    presence,
    loadSettings: settings.load,
    folders: {
      tmpRoot: paths.tmpDir,
      home,
      privateDirs,
      ledgers: join(paths.stateDir, "seen"),
    },
    activity: () => idle.check(),
  };
  const hub = createHub(hubPorts);
  const methods: MethodPorts = {
    ...hubPorts,
    hub,
    clock: effects.clock,
    ids: effects.ids,
    artifactsRoot: join(paths.stateDir, "artifacts"),
    version,
    startedAt,
    logFile: paths.logFile,
    stateDir: paths.stateDir,
    refreshSettings: settings.refresh,
    modelId: (requested, runtime) => requireModel(requested, runtime).id,
    trust,
    clients: () => server.clients(),
    stop: () => void shutdown.stop("asked"),
    hideSecrets,
    lend: createLending({ isTrusted: trust.isTrusted, hideSecrets }),
  };
  const handlers: Handlers = {
    ...controlMethods(methods),
    ...sessionMethods(methods),
    ...commandMethods(methods),
    ...compactionMethods(methods),
    ...libraryMethods(methods),
    ...policyMethods(methods),
    ...taskMethods(methods),
  };
  const idle = createIdleExit({
    idleMs: idleMinutes === null ? null : idleMinutes * 60_000,
    isIdle: () => server.clients() === 0 && hub.loaded().every((runtime) => !runtime.actor.busy),
    exit: () => void shutdown.stop("idle"),
  });
  const shutdown = installShutdown({
    steps: [
      { name: "clients", run: () => server.close() },
      { name: "sessions", run: () => hub.close() },
      { name: "presence", run: () => presence.close() },
      { name: "store", run: () => store.close() },
      { name: "lease", run: () => election.lease.withdraw() },
    ],
    log: (level, message) => log.write(level, message),
    onHangup: () => log.reopen(),
    exit: (code) => process.exit(code),
  });
  const server = await startServer({
    socketPath: paths.socketPath,
    handlers,
    log: (level, message) => log.write(level, message),
    onActivity: () => idle.check(),
  });
  election.lease.announce();
  // Beside the first requests: whoever needs the sandbox's state waits for this same probe.
  effects.sandbox
    .probe()
    .catch((error: unknown) => log.write("error", `the sandbox's probe broke: ${String(error)}`));
  log.write("info", `daemon ${version} serves on ${paths.socketPath}`);
  idle.check();
  await recoverSessions(hub, store, log);
}

function effectPorts(parts: {
  store: Awaited<ReturnType<typeof openStore>>;
  paths: LathePaths;
  home: string;
  log: Log;
  watchers: ReturnType<typeof createWatchers>;
  environment: NodeJS.ProcessEnv;
}): EffectPorts {
  const { store, paths, home, log, watchers, environment } = parts;
  const clock = { now: Date.now };
  const ids = { next: () => uuidv7(Date.now()) };
  return {
    store,
    model: createModelPort(),
    sandbox: createSandbox({
      stateDir: paths.stateDir,
      tmpRoot: paths.tmpDir,
      home,
      now: Date.now,
      newId: ids.next,
      onNetworkDecision: ({ sessionId, host, port, allow, reason }) =>
        log.write(
          "info",
          `network ${allow ? "allowed" : "denied"} ${host}:${port} (${sessionId}): ${reason}`,
        ),
    }),
    clock,
    ids,
    delta: watchers.delta,
    transcripts: createTranscripts(join(paths.stateDir, "transcripts")),
    saveRule: (grant, cwd) => saveRule(paths, grant, cwd),
    log: (level, text) => log.write(level === "warning" ? "warn" : level, text),
    host: {
      platform: process.platform,
      release: release(),
      hostName: hostname(),
      nodeVersion: process.version,
      home,
      configDir: paths.configDir,
      managedDir: dirname(paths.managedConfigFile),
    },
    ripgrep: findRipgrep(environment.PATH ?? ""),
  };
}

/** The bundled ripgrep, else one on PATH, else none. */
function findRipgrep(path: string): string | null {
  const onPath = path.split(delimiter).flatMap((folder) => (folder === "" ? [] : [join(folder, "rg")]));
  return [bundledRipgrep(), ...onPath].find((file) => file !== null && existsSync(file)) ?? null;
}

/** Null where npm left the program of this system out: its package says so by throwing when it is imported. */
function bundledRipgrep(): string | null {
  try {
    const besideIt = createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep"));
    return besideIt.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
  } catch {
    return null;
  }
}

/** Sessions that worked when the last daemon ended go on; one that cannot is logged and left for its user. */
async function recoverSessions(
  hub: ReturnType<typeof createHub>,
  store: Awaited<ReturnType<typeof openStore>>,
  log: Log,
): Promise<void> {
  for (const id of await store.unfinishedSessions()) {
    await hub
      .get(id)
      .catch((error: unknown) => log.write("error", `session ${id} cannot be recovered: ${String(error)}`));
  }
}

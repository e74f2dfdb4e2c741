import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { saveRule } from "../../config/project-rules.ts";
import { type Folders, makeFolders } from "../../config/testing/folders.ts";
import { createTrust } from "../../config/trust.ts";
import { startScriptedModel } from "../../demo/scripted-model/server.ts";
import type { Script, ScriptedModel } from "../../demo/scripted-model/types.ts";
import { createModelPort } from "../../model/stream.ts";
import type { Fact, NumberedFact } from "../../protocol/event.ts";
import type { Approval, PermissionMode } from "../../protocol/permission.ts";
import type { CommandResult, SandboxPort, SpawnSpec } from "../../protocol/ports.ts";
import type { MethodName, Methods } from "../../protocol/rpc.ts";
import type { SessionOptions } from "../../protocol/session.ts";
import type { Store } from "../../protocol/store-port.ts";
import { deferred } from "../../shared/async.ts";
import { uuidv7 } from "../../shared/uuid.ts";
import { openStore } from "../../store/open.ts";
import type { EffectPorts } from "../effects/effect-ports.ts";
import { requireModel } from "../effects/find-model.ts";
import { createSettings } from "../load-settings.ts";
import { createTranscripts } from "../ports/transcripts.ts";
import type { Connection, Handlers } from "../server/handlers.ts";
import { commandMethods } from "../server/methods/command-methods.ts";
import { compactionMethods } from "../server/methods/compaction-methods.ts";
import { controlMethods } from "../server/methods/control-methods.ts";
import { libraryMethods } from "../server/methods/library-methods.ts";
import type { MethodPorts } from "../server/methods/method-ports.ts";
import { policyMethods } from "../server/methods/policy-methods.ts";
import { sessionMethods } from "../server/methods/session-methods.ts";
import { taskMethods } from "../server/methods/task-methods.ts";
import { createHub, type Hub } from "../sessions/hub.ts";
import type { HubPorts } from "../sessions/hub-ports.ts";
import { createLending } from "../sessions/lend.ts";
import { createPresence } from "../sessions/presence.ts";
import { createWatchers } from "../sessions/watchers.ts";

/** What a command does in a test: the walls are a port, everything behind them is the daemon's own. */
export type Walls = (spec: SpawnSpec) => Promise<Partial<CommandResult>>;

/** A client of the daemon, without the socket. */
export type LabClient = {
  call<M extends MethodName>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]>;
  facts: NumberedFact[];
  /** Resolves with the first fact, of those not seen by an earlier wait, that fits. */
  until<T extends Fact["type"]>(
    type: T,
    fits?: (fact: Extract<Fact, { type: T }>) => boolean,
  ): Promise<Extract<Fact, { type: T }>>;
  /** Creates a session in the project and follows it. */
  session(options?: { mode?: PermissionMode; options?: Partial<SessionOptions> }): Promise<string>;
  /** Sends a prompt and resolves with the end of its turn. */
  turn(
    sessionId: string,
    text: string,
    interactive?: boolean,
  ): Promise<Extract<Fact, { type: "turn_finished" }>>;
  prompt(sessionId: string, text: string, interactive?: boolean): Promise<string>;
  /** Answers the next question of the session. */
  answer(sessionId: string, answer: Methods["session.answer"]["params"]["answer"]): Promise<Approval>;
  close(): void;
};

export type DaemonLab = {
  folders: Folders;
  cwd: string;
  model: ScriptedModel;
  store: Store;
  hub: Hub;
  ports: HubPorts;
  logged: string[];
  client(name?: string): LabClient;
  /** Ends the daemon in order and starts another over the same folders. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** The daemon's rooms put together as the wiring does, over real files, store and model wire. */
export async function openDaemonLab(script: Script, walls: Walls = async () => ({})): Promise<DaemonLab> {
  const folders = makeFolders();
  const model = await startScriptedModel({ script, strict: true });
  const logged: string[] = [];
  let daemon = await startParts(folders, walls, logged);
  return {
    folders,
    cwd: folders.cwd,
    model,
    logged,
    get store() {
      return daemon.store;
    },
    get hub() {
      return daemon.hub;
    },
    get ports() {
      return daemon.ports;
    },
    client: (name = "lab") => createLabClient(name, daemon.handlers, folders.cwd, model.url),
    async restart() {
      await daemon.stop();
      daemon = await startParts(folders, walls, logged);
    },
    async close() {
      await daemon.stop();
      await model.close();
      folders.remove();
    },
  };
}

async function startParts(folders: Folders, walls: Walls, logged: string[]) {
  const { paths } = folders;
  mkdirSync(paths.stateDir, { recursive: true, mode: 0o700 });
  const store = await openStore({ dir: paths.stateDir, now: Date.now, log: (text) => logged.push(text) });
  const watchers = createWatchers();
  const presence = createPresence(50);
  const trust = createTrust(paths);
  const privateDirs = [paths.stateDir, paths.configDir, paths.runtimeDir];
  const settings = createSettings({ paths, privateDirs, isTrusted: trust.isTrusted });
  const ids = { next: () => uuidv7(Date.now()) };
  const effects: EffectPorts = {
    store,
    model: createModelPort(),
    sandbox: wallsPort(walls),
    clock: { now: Date.now },
    ids,
    delta: watchers.delta,
    transcripts: createTranscripts(join(paths.stateDir, "transcripts")),
    saveRule: (grant, cwd) => saveRule(paths, grant, cwd),
    log: (level, text) => logged.push(`${level}: ${text}`),
    host: {
      platform: "linux",
      release: "6",
      hostName: "lab",
      nodeVersion: process.version,
      home: paths.home,
      configDir: paths.configDir,
      managedDir: join(paths.configDir, "managed"),
    },
    ripgrep: null,
  };
  const ports: HubPorts = {
    effects,
    watchers,
    presence,
    loadSettings: settings.load,
    folders: {
      tmpRoot: paths.tmpDir,
      home: paths.home,
      privateDirs,
      ledgers: join(paths.stateDir, "seen"),
    },
    activity: () => undefined,
  };
  const hub = createHub(ports);
  const methods: MethodPorts = {
    ...ports,
    hub,
    clock: effects.clock,
    ids,
    artifactsRoot: join(paths.stateDir, "artifacts"),
    version: "0.0.0-lab",
    startedAt: Date.now(),
    logFile: paths.logFile,
    stateDir: paths.stateDir,
    refreshSettings: settings.refresh,
    modelId: (requested, runtime) => requireModel(requested, runtime).id,
    trust,
    hideSecrets: () => undefined,
    lend: createLending({ isTrusted: trust.isTrusted, hideSecrets: () => undefined }),
    clients: () => 0,
    stop: () => undefined,
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
  const stop = async (): Promise<void> => {
    await hub.close();
    presence.close();
    await store.close();
  };
  return { store, hub, ports, handlers, stop };
}

function wallsPort(walls: Walls): SandboxPort {
  const nothing = { text: "", totalBytes: 0, cut: false };
  return {
    probe: () => Promise.resolve({ type: "ready", kind: "bwrap", missing: [] }),
    release: () => Promise.resolve(),
    run: async (spec) => ({
      ok: true,
      value: {
        exitCode: 0,
        signal: null,
        timedOut: false,
        interrupted: spec.signal.aborted,
        stdout: nothing,
        stderr: nothing,
        durationMs: 1,
        denials: [],
        sandbox: "bwrap",
        ...(await walls(spec)),
      },
    }),
  };
}

function createLabClient(name: string, handlers: Handlers, cwd: string, modelUrl: string): LabClient {
  const facts: NumberedFact[] = [];
  const gone = new AbortController();
  const closing: (() => void)[] = [];
  /** How far each kind of fact was looked through: waits for different kinds do not take from each other. */
  const seen = new Map<string, number>();
  let arrived = deferred<void>();
  const connection: Connection = {
    id: uuidv7(Date.now()),
    client: { name, version: "0", id: name },
    signal: gone.signal,
    notify(method, params) {
      if (method !== "session.fact") return;
      facts.push(params as NumberedFact);
      arrived.resolve();
      arrived = deferred<void>();
    },
    onClose: (callback) => void closing.push(callback),
  };
  const call: LabClient["call"] = (method, params) => handlers[method](params, connection);
  const context = {
    environment: { PATH: process.env.PATH ?? "/usr/bin:/bin", ANTHROPIC_BASE_URL: modelUrl },
    credentials: { ANTHROPIC_API_KEY: "lab-key" },
  };
  const client: LabClient = {
    call,
    facts,
    async until(type, fits = () => true) {
      for (;;) {
        for (let at = seen.get(type) ?? 0; at < facts.length; at++) {
          seen.set(type, at + 1);
          const fact = facts[at]?.fact;
          if (fact?.type === type && fits(fact as never)) return fact as never;
        }
        await arrived.promise;
      }
    },
    async session({ mode, options } = {}) {
      const { session } = await call("session.create", {
        cwd,
        model: "anthropic/scripted-model",
        mode,
        options: { sandbox: "on", ...options },
        context,
      });
      await call("session.open", { sessionId: session.id, context });
      return session.id;
    },
    async prompt(sessionId, text, interactive = false) {
      const { promptId } = await call("session.prompt", {
        sessionId,
        commandId: uuidv7(Date.now()),
        content: [{ type: "text", text }],
        interactive,
        boundToClient: false,
      });
      return promptId;
    },
    async turn(sessionId, text, interactive) {
      const runId = await client.prompt(sessionId, text, interactive);
      return await client.until("turn_finished", (fact) => fact.runId === runId);
    },
    async answer(sessionId, answer) {
      const { approval } = await client.until("approval_requested");
      const commandId = uuidv7(Date.now());
      await call("session.answer", { sessionId, commandId, approvalId: approval.id, answer });
      return approval;
    },
    close() {
      gone.abort();
      for (const callback of closing.splice(0)) callback();
    },
  };
  void call("initialize", { protocolVersion: 1, client: connection.client });
  return client;
}

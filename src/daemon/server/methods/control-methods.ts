import type { Methods } from "../../../protocol/rpc.ts";
import { PROTOCOL_VERSION } from "../../../protocol/rpc.ts";
import { AppError } from "../../../shared/error.ts";
import { findModel } from "../../effects/find-model.ts";
import type { Handlers } from "../handlers.ts";
import { runDoctor } from "./doctor.ts";
import type { MethodPorts } from "./method-ports.ts";

type ControlMethods = Pick<
  Handlers,
  "initialize" | "daemon.status" | "daemon.doctor" | "daemon.stop" | "trust.set"
>;

/** Methods about the daemon itself. */
export function controlMethods(ports: MethodPorts): ControlMethods {
  const { hub } = ports;
  const working = (): number => hub.loaded().filter((runtime) => runtime.actor.busy).length;
  return {
    initialize: async (params, connection) => {
      if (params.protocolVersion !== PROTOCOL_VERSION) {
        throw new AppError(
          "protocol_version",
          `this daemon (${ports.version}) speaks protocol ${PROTOCOL_VERSION}, the client ${params.protocolVersion}; run \`lathe daemon stop\` and start again`,
        );
      }
      const clientId = params.client.id ?? connection.id;
      ports.presence.arrived(clientId);
      connection.onClose(() => {
        ports.presence.left(clientId);
        for (const sessionId of ports.watchers.removeAll(connection.id)) void hub.release(sessionId);
        ports.activity();
      });
      return {
        protocolVersion: PROTOCOL_VERSION,
        version: ports.version,
        pid: process.pid,
        startedAt: ports.startedAt,
        busy: working() > 0,
      };
    },

    "daemon.status": async () => status(ports, working()),

    "daemon.doctor": async (params) => runDoctor(params, ports),

    "daemon.stop": async ({ force }) => {
      const count = working();
      const stopping = count === 0 || force === true;
      // After the answer is out.
      if (stopping) setTimeout(() => ports.stop(), 10);
      return { stopping, working: count };
    },

    "trust.set": async ({ path, trusted }) => ({ path: await ports.trust.set(path, trusted), trusted }),
  };
}

async function status(ports: MethodPorts, working: number): Promise<Methods["daemon.status"]["result"]> {
  const stats = await ports.effects.store.stats();
  const sandbox = await ports.effects.sandbox.probe();
  const loaded = ports.hub.loaded();
  return {
    version: ports.version,
    pid: process.pid,
    startedAt: ports.startedAt,
    parts: [
      { name: "server", ok: true, detail: `${ports.clients()} connected` },
      { name: "sessions", ok: true, detail: `${loaded.length} loaded, ${working} working` },
      {
        name: "store",
        ok: true,
        detail: `${stats.sessions} sessions, ${mb(stats.databaseBytes)} MB database, ${mb(stats.blobBytes)} MB blobs, schema ${stats.schemaVersion}`,
      },
      {
        name: "sandbox",
        ok: sandbox.type !== "unavailable",
        detail: sandbox.type === "ready" ? sandbox.kind : sandbox.reason,
      },
      {
        name: "models",
        ok: true,
        detail: [...new Set(loaded.map((runtime) => modelLine(runtime)))].join(", ") || "none in use",
      },
    ],
    sessions: { open: loaded.length, working },
    clients: ports.clients(),
    memoryMb: Math.round(process.memoryUsage.rss() / 1e6),
  };
}

function modelLine(runtime: Parameters<typeof findModel>[1]): string {
  const found = findModel(runtime.actor.state.model, runtime);
  return found.ok ? found.value.id : `${runtime.actor.state.model} (${found.error})`;
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

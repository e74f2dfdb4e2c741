import { Agent, type AgentOptions, request as httpRequest } from "node:http";
import type { Agent as HttpsAgent, RequestOptions } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../../shared/error.ts";
import type { Authorities } from "./certificates.ts";
import { proxyAuthorization } from "./route.ts";

// TLS costs a start ten milliseconds that a local model does not need, so it is fetched when first used.
const https = (): typeof import("node:https") => process.getBuiltinModule("node:https");
const tls = (): typeof import("node:tls") => process.getBuiltinModule("node:tls");

// A connection that was idle for a minute may have been dropped on the way without a word, so it is given up.
const OPTIONS: AgentOptions = { keepAlive: true, scheduling: "lifo", timeout: 60_000 };

/** Gives each request the agent that holds the connections it can use. */
export type Agents = {
  agentFor(url: URL, proxy: URL | null, authorities: Authorities): Agent;
  /** Closes idle connections; running requests are cut. */
  close(): void;
};

/** More agents than this would mean that environments change all the time; the oldest goes. */
const MAX_AGENTS = 16;

/** Keeps connections alive, per way of reaching a host. Idle connections do not keep the process running. */
export function createAgents(): Agents {
  const agents = new Map<string, Agent>();
  return {
    agentFor(url, proxy, authorities) {
      // A plain request through a proxy goes to the proxy itself: its URL is then the one that counts.
      const secure = url.protocol === "https:";
      const key = `${secure}|${proxy?.href ?? ""}|${authorities.key}`;
      const known = agents.get(key);
      if (known) return known;
      const agent = secure ? secureAgent(proxy, authorities) : plainAgent(proxy, authorities);
      agents.set(key, agent);
      const oldest = agents.keys().next().value;
      if (agents.size > MAX_AGENTS && oldest !== undefined) {
        agents.get(oldest)?.destroy();
        agents.delete(oldest);
      }
      return agent;
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function plainAgent(proxy: URL | null, authorities: Authorities): Agent {
  if (proxy?.protocol !== "https:") return new Agent(OPTIONS);
  return new (https().Agent)({ ...OPTIONS, ...certificates(authorities) });
}

function secureAgent(proxy: URL | null, authorities: Authorities): HttpsAgent {
  const agent = new (https().Agent)({ ...OPTIONS, ...certificates(authorities) });
  if (proxy) agent.createConnection = tunnel(proxy, authorities);
  return agent;
}

const certificates = ({ ca }: Authorities): { ca?: string[] } => (ca ? { ca } : {});

type Connected = (error: Error | null, stream: Duplex) => void;

/** A connection through the proxy: CONNECT, then TLS to the host inside of it. */
function tunnel(proxy: URL, authorities: Authorities): HttpsAgent["createConnection"] {
  return (options: RequestOptions, connected?: Connected): Duplex | null | undefined => {
    const target = `${options.host?.includes(":") ? `[${options.host}]` : options.host}:${options.port}`;
    const finish = connected as (error: Error | null, stream?: Duplex) => void;
    const authorization = proxyAuthorization(proxy);
    const send = proxy.protocol === "https:" ? https().request : httpRequest;
    const asked = send({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: { host: target, ...(authorization ? { "proxy-authorization": authorization } : {}) },
      agent: false,
      ...certificates(authorities),
    });
    asked.once("connect", (answer, socket: Socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        finish(
          new AppError(
            "proxy_refused",
            `the proxy ${proxy.host} refused ${target}: HTTP ${answer.statusCode}`,
          ),
        );
        return;
      }
      const inner = tls().connect({ ...(options as object), socket, servername: serverName(options) });
      finish(null, inner);
    });
    asked.once("error", finish);
    asked.end();
    return undefined;
  };
}

function serverName(options: RequestOptions): string {
  return options.servername ?? options.host ?? "";
}

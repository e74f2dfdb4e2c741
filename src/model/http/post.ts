import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { errorCode } from "../../shared/error.ts";
import type { Agents } from "./agents.ts";
import { readAuthorities } from "./certificates.ts";
import { proxyAuthorization, routeFor } from "./route.ts";

export type Post = {
  url: URL;
  headers: Record<string, string>;
  body: string;
  environment: Record<string, string>;
  signal: AbortSignal;
};

/** The request could not be made because of the environment (proxy variables). */
export type BadRoute = { badRoute: string };

/**
 * Sends a POST and gives the answer as soon as its headers are there; its body is still to come. Rejects with
 * Node's network errors, and with AppErrors of certificates and proxies. Aborting the signal ends it all.
 */
export async function post(sent: Post, agents: Agents): Promise<IncomingMessage | BadRoute> {
  const route = routeFor(sent.url, sent.environment);
  if (!route.ok) return { badRoute: route.problem };
  const throughTls = sent.url.protocol === "https:" || route.proxy?.protocol === "https:";
  const authorities = throughTls ? await readAuthorities(sent.environment) : { ca: null, key: "" };
  const options = requestOptions(sent, route.proxy);
  const agent = agents.agentFor(sent.url, route.proxy, authorities);
  for (let attempt = 0; ; attempt++) {
    const request = start(sent.url, route.proxy, { ...options, agent, signal: sent.signal });
    try {
      return await answerTo(request, sent.body);
    } catch (error) {
      // A kept connection may be closed by the server just as it is used again: nothing of it was read.
      const stale = request.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(errorCode(error) ?? "");
      if (!stale || attempt > 0 || sent.signal.aborted) throw error;
    }
  }
}

function start(url: URL, proxy: URL | null, options: RequestOptions): ClientRequest {
  const reached = url.protocol === "https:" ? url : (proxy ?? url);
  return reached.protocol === "https:"
    ? process.getBuiltinModule("node:https").request(options)
    : httpRequest(options);
}

function requestOptions(sent: Post, proxy: URL | null): RequestOptions {
  const { url } = sent;
  const headers: Record<string, string> = {
    ...sent.headers,
    host: url.host,
    "content-length": String(Buffer.byteLength(sent.body)),
  };
  // A plain request is handed to the proxy whole; a TLS one goes through a tunnel that the agent digs.
  const forwarded = proxy && url.protocol === "http:" ? proxy : null;
  const authorization = forwarded ? proxyAuthorization(forwarded) : null;
  if (authorization) headers["proxy-authorization"] = authorization;
  const place = forwarded ?? url;
  return {
    method: "POST",
    host: place.hostname.replace(/^\[|\]$/g, ""),
    port: place.port || (place.protocol === "https:" ? 443 : 80),
    path: forwarded ? url.href : `${url.pathname}${url.search}`,
    headers,
  };
}

function answerTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((answered, failed) => {
    request.once("response", answered);
    // Stays on: errors after the answer's headers are reported by the answer itself.
    request.on("error", failed);
    request.end(body);
  });
}

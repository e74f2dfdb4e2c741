import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorMessage } from "../../shared/error.ts";
import { canonicalHost, splitAuthority } from "./canonical-host.ts";
import type { CommandPass } from "./command-pass.ts";
import type { GateVerdict } from "./decide.ts";
import { dial, join } from "./tunnel.ts";

export type HttpGateOptions = {
  passOf(token: string): CommandPass | null;
  /** The name that a synthetic address stands for, or the host as it is. */
  nameOf(host: string): string;
};

type Refusal = { status: number; text: string };

/** A proxy for CONNECT and for plain HTTP. Each request is decided on its own, also on a reused connection. */
export function createHttpGate(options: HttpGateOptions): Server {
  const server = createServer((incoming, response) => {
    forward(incoming, response, options).catch((error: unknown) =>
      answer(response, { status: 502, text: errorMessage(error) }),
    );
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    tunnel(incoming, socket, head, options).catch((error: unknown) =>
      end(socket, { status: 502, text: errorMessage(error) }),
    );
  });
  server.on("upgrade", (_incoming, socket: Socket) =>
    end(socket, { status: 501, text: "use CONNECT for this" }),
  );
  server.on("clientError", (_error, socket: Socket) =>
    end(socket, { status: 400, text: "not a valid request" }),
  );
  return server;
}

async function tunnel(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
  options: HttpGateOptions,
): Promise<void> {
  const pass = passFor(incoming, options);
  if (pass === null) return end(socket, NO_PASS);
  pass.hold(socket);
  const target = splitAuthority(incoming.url ?? "", null);
  if (target === null) return end(socket, { status: 400, text: "the target is not HOST:PORT" });
  const verdict = await pass.decide(options.nameOf(target.host), target.port);
  if (!verdict.allow) return end(socket, refusalOf(verdict));
  const upstream = await dial(verdict.addresses, target.port);
  pass.hold(upstream);
  if (socket.destroyed) return void upstream.destroy();
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) upstream.write(head);
  join(socket, upstream);
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: HttpGateOptions,
): Promise<void> {
  const pass = passFor(incoming, options);
  if (pass === null) return answer(response, NO_PASS);
  pass.hold(incoming.socket);
  const match = /^http:\/\/([^/?#]*)(\/[^#]*|\?[^#]*)?$/i.exec(incoming.url ?? "");
  const target = splitAuthority(match?.[1] ?? "", 80);
  if (!match || target === null)
    return answer(response, { status: 400, text: "the target is not an http:// address" });
  const name = options.nameOf(target.host);
  if (!sameHost(incoming.headers.host, target, options)) {
    return answer(response, { status: 421, text: "the Host header is not that of the target" });
  }
  const verdict = await pass.decide(name, target.port);
  if (!verdict.allow) return answer(response, refusalOf(verdict));
  const upstream = await dial(verdict.addresses, target.port);
  pass.hold(upstream);
  const path = match[2] ?? "/";
  const outgoing = request({
    createConnection: () => upstream,
    method: incoming.method,
    path: path.startsWith("?") ? `/${path}` : path,
    headers: { ...endToEnd(incoming.headers), host: incoming.headers.host ?? name, connection: "close" },
    setHost: false,
  });
  outgoing.on("response", (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply.headers));
    reply.pipe(response);
  });
  outgoing.on("error", (error) => answer(response, { status: 502, text: error.message }));
  response.on("close", () => upstream.destroy());
  incoming.pipe(outgoing);
}

/** The Host header names the same host and port as the target. */
function sameHost(
  header: string | undefined,
  target: { host: string; port: number },
  options: HttpGateOptions,
): boolean {
  const named = splitAuthority(header ?? "", 80);
  if (named === null || named.port !== target.port) return false;
  const host = canonicalHost(options.nameOf(named.host));
  return host !== null && host === canonicalHost(options.nameOf(target.host));
}

/** Headers that concern one connection only. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEnd(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(/\s*,\s*/);
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.includes(name)) kept[name] = value;
  }
  return kept;
}

function passFor(incoming: IncomingMessage, options: HttpGateOptions): CommandPass | null {
  const match = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(incoming.headers["proxy-authorization"] ?? "");
  const [, token = ""] = Buffer.from(match?.[1] ?? "", "base64")
    .toString("latin1")
    .split(":");
  return options.passOf(token);
}

const NO_PASS: Refusal = {
  status: 407,
  text: "the credentials of HTTP_PROXY are missing or no longer valid",
};

const refusalOf = (verdict: Extract<GateVerdict, { allow: false }>): Refusal => ({
  status: verdict.denied ? 403 : 502,
  text: verdict.denied ? `network access to ${verdict.host} is denied: ${verdict.reason}` : verdict.reason,
});

const bodyOf = (refusal: Refusal): string => `lathe: ${refusal.text}\n`;

function answer(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const challenge = refusal.status === 407 ? { "proxy-authenticate": 'Basic realm="lathe"' } : {};
  response.writeHead(refusal.status, {
    "content-type": "text/plain; charset=utf-8",
    connection: "close",
    ...challenge,
  });
  response.end(bodyOf(refusal));
}

function end(socket: Socket, refusal: Refusal): void {
  const body = bodyOf(refusal);
  const challenge = refusal.status === 407 ? 'Proxy-Authenticate: Basic realm="lathe"\r\n' : "";
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${refusal.status} lathe\r\nContent-Type: text/plain; charset=utf-8\r\n${challenge}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startScriptedModel } from "../../demo/scripted-model/server.ts";
import type { Turn } from "../../demo/scripted-model/types.ts";
import type { ModelEvent, ModelRef } from "../../protocol/model-port.ts";
import { createModelPort, type ModelConnections } from "../stream.ts";
import { readAuthorities } from "./certificates.ts";
import { bypassesProxy } from "./no-proxy.ts";
import { routeFor } from "./route.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((item) => item.close()));
});

type Proxy = { url: string; seen: string[]; heads: (string | undefined)[]; close(): void };

/** Forwards absolute URIs and tunnels to `target`, whatever host was asked for. */
async function startProxy(target: number): Promise<Proxy> {
  const seen: string[] = [];
  const heads: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const note = (message: IncomingMessage): void => {
    seen.push(`${message.method} ${message.url}`);
    heads.push(message.headers["proxy-authorization"]);
  };
  const server: Server = createServer((message, response) => {
    note(message);
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", async () => {
      const { pathname } = new URL(message.url ?? "");
      const headers = message.headers as Record<string, string>;
      const { host: _host, connection: _connection, "content-length": _length, ...rest } = headers;
      const answer = await fetch(`http://127.0.0.1:${target}${pathname}`, {
        method: "POST",
        headers: rest,
        body: Buffer.concat(chunks),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server.on("connect", (message: IncomingMessage, socket: Socket) => {
    note(message);
    sockets.add(socket);
    if (message.url?.startsWith("refused")) return socket.end("HTTP/1.1 403 No\r\n\r\n");
    const through = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.pipe(socket).pipe(through);
    });
    sockets.add(through);
    through.on("error", () => socket.destroy());
    socket.on("error", () => through.destroy());
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    heads,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  open.push(proxy);
  return proxy;
}

async function last(
  baseUrl: string,
  environment: Record<string, string>,
  shared?: ModelConnections,
): Promise<ModelEvent | undefined> {
  const port = shared ?? createModelPort();
  open.push(port);
  const model: ModelRef = {
    id: "t/m",
    provider: "t",
    model: "m",
    wire: "anthropic",
    baseUrl,
    keyNames: [],
    contextWindow: null,
    maxOutput: 10,
    images: true,
    price: null,
  };
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "q" }] }],
    maxOutput: 5,
    cacheKey: "",
    toolChoice: "auto" as const,
  };
  let event: ModelEvent | undefined;
  for await (const next of port.stream({
    model,
    request,
    credentials: {},
    environment,
    newId: () => "i",
    signal: new AbortController().signal,
    timeoutMs: 5000,
  }))
    event = next;
  return event;
}

describe("proxies", () => {
  it("hands plain requests to the proxy with its credentials, and goes around it for this machine", async () => {
    const server = await startScriptedModel({ script: { turns: [{ text: "ok" }], repeatLast: true } });
    const proxy = await startProxy(server.port);
    open.push(server);
    const environment = { http_proxy: proxy.url.replace("//", "//me:p%40ss@") };
    expect(await last("http://model.example", environment)).toMatchObject({ type: "message_end" });
    expect(proxy.seen).toEqual(["POST http://model.example/v1/messages"]);
    expect(proxy.heads).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
    expect(await last(server.url, { HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url })).toMatchObject({
      type: "message_end",
    });
    expect(proxy.seen).toHaveLength(1);
  });

  it("digs a tunnel for TLS and tells when it is refused", async () => {
    const server = await startScriptedModel({ script: [] });
    const proxy = await startProxy(server.port);
    open.push(server);
    const through = await last("https://model.example", { HTTPS_PROXY: proxy.url });
    expect(proxy.seen[0]).toBe("CONNECT model.example:443");
    // The server behind the tunnel speaks no TLS: that far the connection must have come.
    expect(through).toMatchObject({
      type: "failed",
      error: { message: expect.stringMatching(/model\.example/) },
    });
    const refused = await last("https://refused.example", { ALL_PROXY: proxy.url });
    expect(refused).toMatchObject({
      type: "failed",
      error: {
        kind: "network",
        message: expect.stringMatching(/proxy 127.0.0.1:\d+ refused refused.example:443: HTTP 403/),
      },
    });
  });

  it("chooses by scheme, case and NO_PROXY, and names what it cannot use", () => {
    const route = (url: string, environment: Record<string, string>): unknown => {
      const found = routeFor(new URL(url), environment);
      return found.ok ? (found.proxy?.host ?? null) : found.problem;
    };
    const all = { HTTP_PROXY: "http://h:1", HTTPS_PROXY: "s:2", ALL_PROXY: "http://a:3" };
    expect(route("http://x.org", all)).toBe("h:1");
    expect(route("https://x.org", all)).toBe("s:2");
    expect(route("https://x.org", { ALL_PROXY: "http://a:3", https_proxy: "" })).toBe("a:3");
    expect(route("https://x.org", { ...all, no_proxy: "x.org" })).toBe(null);
    expect(route("https://localhost:8", all)).toBe(null);
    expect(route("https://x.org", { ALL_PROXY: "socks5://u:pw@a:3" })).toBe(
      "ALL_PROXY names a socks5 proxy, which is not supported; give an http:// proxy or add the host to NO_PROXY",
    );
  });

  it.each([
    ["api.x.org", "x.org", true],
    ["api.x.org", ".x.org", true],
    ["api.x.org", "*.x.org", true],
    ["apix.org", "x.org", false],
    ["x.org", "a.b, X.ORG", true],
    ["x.org", "x.org:443", true],
    ["x.org", "x.org:80", false],
    ["x.org", "*", true],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["[fd00::1]", "fd00::/8", true],
    ["127.8.8.8", "", true],
    ["[::1]", "", true],
    ["x.org", "", false],
  ])("NO_PROXY: %s under %s", (host, list, expected) => {
    expect(bypassesProxy(host, 443, list)).toBe(expected);
  });
});

// openssl makes the certificate; where it is missing, the tunnel's TLS is only tested by others.
const OPENSSL = "openssl";
const hasOpenssl = spawnSync(OPENSSL, ["version"]).status === 0;

describe.skipIf(!hasOpenssl)("TLS", () => {
  it("trusts a named authority, through a tunnel and without, and keeps the connection", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lathe-tls-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = [
      "-subj",
      "/CN=model.example",
      "-addext",
      "subjectAltName=DNS:model.example,DNS:localhost",
    ];
    const made = spawnSync(OPENSSL, [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert],
      ...subject,
    ]);
    expect(made.status).toBe(0);
    let connections = 0;
    const answer =
      'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n';
    const server = createTlsServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (message, response) => {
        message.resume().on("end", () => response.end(answer));
      },
    );
    server.on("secureConnection", () => {
      connections += 1;
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    open.push({ close: () => server.close() }, { close: () => server.closeAllConnections() });
    const proxy = await startProxy(port);
    const environment = { NODE_EXTRA_CA_CERTS: cert, https_proxy: proxy.url };
    const shared = createModelPort();
    open.push(shared);
    for (let n = 0; n < 2; n++) {
      expect(await last("https://model.example", environment, shared)).toMatchObject({ type: "message_end" });
    }
    expect(proxy.seen).toEqual(["CONNECT model.example:443"]);
    expect(connections).toBe(1);
    const direct = `https://localhost:${port}`;
    expect(await last(direct, { SSL_CERT_FILE: cert })).toMatchObject({ type: "message_end" });
    const distrusted = await last(direct, {});
    expect(distrusted).toMatchObject({ type: "failed", retryable: false, error: { kind: "config" } });
    expect(JSON.stringify(distrusted)).toContain("NODE_EXTRA_CA_CERTS");
    await rm(folder, { recursive: true });
  });
});

describe("certificates", () => {
  it("adds or replaces authorities and names an unreadable file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lathe-ca-"));
    const file = join(folder, "ca.pem");
    await writeFile(file, "CERT");
    expect((await readAuthorities({})).ca).toBe(null);
    expect((await readAuthorities({ SSL_CERT_FILE: file })).ca).toEqual(["CERT"]);
    const added = (await readAuthorities({ NODE_EXTRA_CA_CERTS: file })).ca ?? [];
    expect(added.length).toBeGreaterThan(10);
    expect(added.at(-1)).toBe("CERT");
    const missing = await last("https://model.invalid", { NODE_EXTRA_CA_CERTS: join(folder, "none.pem") });
    expect(missing).toMatchObject({
      type: "failed",
      retryable: false,
      error: { kind: "config", message: expect.stringMatching(/NODE_EXTRA_CA_CERTS names .*none\.pem/) },
    });
    await rm(folder, { recursive: true });
  });
});

describe("connections", () => {
  it("says that nothing listens, and that a base URL is none", async () => {
    const server = await startScriptedModel({ script: [] });
    await server.close();
    expect(await last(server.url, {})).toMatchObject({
      type: "failed",
      retryable: false,
      error: { kind: "network", message: expect.stringContaining(`nothing listens at ${server.url}`) },
    });
    expect(await last("model.example", {})).toMatchObject({
      type: "failed",
      retryable: false,
      error: { kind: "config" },
    });
  });

  it("names redirects and web pages for what they are", async () => {
    const script: Turn[] = [
      { error: { status: 308, headers: { location: "https://new.example/" }, body: "" } },
      { text: "x", json: true, headers: { "content-type": "text/html" } },
      { text: "x", headers: { "content-encoding": "gzip" } },
    ];
    const server = await startScriptedModel({ script });
    open.push(server);
    const messages = [];
    for (const _ of script)
      messages.push(((await last(server.url, {})) as { error: { message: string } }).error.message);
    expect(messages[0]).toMatch(/redirects to https:\/\/new\.example\//);
    expect(messages[1]).toMatch(/web page.*base URL/);
    expect(messages[2]).toMatch(/compressed \(gzip\)/);
  });
});

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectionLimits } from "./connection.ts";
import type { Handlers } from "./handlers.ts";
import { type RpcServer, startServer } from "./start-server.ts";
import { toyHandlers } from "./testing/toy-daemon.ts";

let folder: string;
let socketPath: string;
let server: RpcServer | null = null;
const logged: string[] = [];
const sockets: Socket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-srv-"));
  socketPath = join(folder, "run", "d.sock");
  logged.length = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
  server = null;
  rmSync(folder, { recursive: true, force: true });
});

async function serve(limits: Partial<ConnectionLimits> = {}, more: Partial<Handlers> = {}): Promise<void> {
  const toy = toyHandlers({ stateDir: folder, socketPath, version: "1.0.0" }, () => undefined);
  const handlers = { ...toy, ...more };
  const log = (level: string, message: string): void => void logged.push(`${level} ${message}`);
  server = await startServer({ socketPath, handlers, log, onActivity: () => undefined, limits });
}

type Message = {
  id?: unknown;
  method?: string;
  params?: { sessionId?: string; seq: number; delta: { type: string; text: string }; code?: string };
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data: { code: string } };
};

/** A client that knows nothing but lines. */
class RawClient {
  readonly messages: (Message | Message[])[] = [];
  readonly socket: Socket;
  closed = false;
  #rest = "";
  #waiters: (() => void)[] = [];

  constructor() {
    this.socket = connect(socketPath);
    sockets.push(this.socket);
    this.socket.setEncoding("utf8");
    this.socket.on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.messages.push(JSON.parse(line));
      this.#wake();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  send(...values: unknown[]): void {
    this.socket.write(
      values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join(""),
    );
  }

  answer(id: unknown): Promise<Message> {
    return this.until(() => this.singles().find((message) => message.id === id && !message.method));
  }

  singles(): Message[] {
    return this.messages.filter((message): message is Message => !Array.isArray(message));
  }

  facts(): number[] {
    return this.singles().flatMap(({ method, params }) =>
      method === "session.fact" && params ? [params.seq] : [],
    );
  }

  text(): string {
    return this.singles()
      .map(({ method, params }) => (method === "session.delta" ? params?.delta.text : ""))
      .join("");
  }
}

const call = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });
const hello = call("hello", "initialize", { protocolVersion: 1, client: { name: "raw", version: "1.0.0" } });
const prompt = (id: unknown, text: string) =>
  call(id, "session.prompt", {
    sessionId: "s1",
    commandId: `c${String(id)}`,
    content: [{ type: "text", text }],
    interactive: false,
    boundToClient: false,
  });

async function greeted(): Promise<RawClient> {
  const client = new RawClient();
  client.send(hello);
  await client.answer("hello");
  return client;
}

async function watching(): Promise<RawClient> {
  const client = await greeted();
  client.send(call("open", "session.open", { sessionId: "s1" }));
  await client.answer("open");
  return client;
}

describe("the socket", () => {
  it("is 0600 in a folder that is 0700, also when the folder was open before", async () => {
    await serve();
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "run")).mode & 0o777).toBe(0o700);
  });

  it("is removed at the end", async () => {
    await serve();
    await server?.close();
    expect(() => statSync(socketPath)).toThrow("ENOENT");
  });

  it("is not made in a folder that is a link", async () => {
    symlinkSync(folder, join(folder, "run"));
    await expect(serve()).rejects.toMatchObject({ code: "unsafe_directory" });
  });

  it("does not take the place of a file or of a living daemon", async () => {
    socketPath = join(folder, "d.sock");
    writeFileSync(socketPath, "mine");
    await expect(serve()).rejects.toMatchObject({ code: "socket_path" });
    rmSync(socketPath);
    const other = createServer().listen(socketPath);
    await new Promise((resolve) => other.once("listening", resolve));
    await expect(serve()).rejects.toMatchObject({ code: "socket_in_use" });
    await new Promise((resolve) => other.close(resolve));
  });

  it("says when its path is too long for the system", async () => {
    socketPath = join(folder, "x".repeat(100), "d.sock");
    await expect(serve()).rejects.toMatchObject({ code: "socket_path" });
  });
});

describe("messages", () => {
  it("answers garbage with an error and goes on", async () => {
    await serve();
    const client = new RawClient();
    client.socket.write(Buffer.from([0xff, 0x0a]));
    client.send(
      "garbage",
      "",
      "[]",
      "7",
      '{"jsonrpc":"1.0","id":1,"method":"x"}',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
    );
    client.send('{"jsonrpc":"2.0","id":2}', call(3, "no.such"), hello);
    await client.answer("hello");
    const codes = client.singles().map(({ id, error }) => [id, error?.code, error?.data.code]);
    expect(codes).toEqual([
      [null, -32700, "parse_error"],
      [null, -32700, "parse_error"],
      [null, -32600, "invalid_request"],
      [null, -32600, "invalid_request"],
      [1, -32600, "invalid_request"],
      [null, -32600, "invalid_request"],
      [2, -32600, "invalid_request"],
      [3, -32601, "unknown_method"],
      ["hello", undefined, undefined],
    ]);
  });

  it("skips a message that is too large and goes on", async () => {
    await serve({ maxLine: 1000 });
    const client = await greeted();
    client.send(prompt(1, "x".repeat(2000)), call(2, "session.export", { sessionId: "s1" }));
    expect((await client.answer(null)).error?.data.code).toBe("message_too_large");
    expect((await client.answer(2)).result).toBeDefined();
  });

  it("wants initialize first, and takes what was sent right behind it", async () => {
    await serve();
    const client = new RawClient();
    client.send(call(1, "session.facts", { sessionId: "s1" }));
    expect((await client.answer(1)).error).toMatchObject({ code: -32002, data: { code: "not_initialized" } });
    client.send(hello, call(2, "session.facts", { sessionId: "s1" }));
    expect((await client.answer(2)).result).toEqual({ facts: [] });
  });

  it("lets a client of another protocol stop the daemon and nothing else", async () => {
    await serve();
    const client = new RawClient();
    client.send(call(1, "initialize", { protocolVersion: 99, client: { name: "new", version: "9" } }));
    expect((await client.answer(1)).result).toMatchObject({ protocolVersion: 1 });
    client.send(call(2, "session.facts", { sessionId: "s1" }), call(3, "daemon.stop", {}));
    expect((await client.answer(2)).error?.data.code).toBe("protocol_version");
    expect((await client.answer(3)).result).toEqual({ stopping: true, working: 0 });
  });

  it("names the parameter, passes on the code of an AppError and logs a bug", async () => {
    await serve();
    const client = await greeted();
    client.send(
      call(1, "session.facts", { sessionId: 5 }),
      call(2, "session.facts", { sessionId: "gone" }),
      call(3, "session.list", {}),
    );
    expect((await client.answer(1)).error).toMatchObject({
      code: -32602,
      message: 'session.facts: parameter "sessionId" must be a string, not a number',
      data: { code: "invalid_params" },
    });
    expect((await client.answer(2)).error).toMatchObject({ code: -32000, data: { code: "not_found" } });
    expect((await client.answer(3)).error).toMatchObject({ code: -32603, data: { code: "internal" } });
    expect(logged.join("\n")).toContain("TypeError: a bug in a handler");
  });

  it("answers each message of a batch in one array, and notifications not at all", async () => {
    await serve();
    const client = await greeted();
    client.send([
      call(1, "session.facts", { sessionId: "s1" }),
      { jsonrpc: "2.0", method: "session.facts", params: { sessionId: "gone" } },
      5,
      call(2, "no.such"),
    ]);
    const batch = await client.until(() => client.messages.find((message) => Array.isArray(message)));
    expect((batch as Message[]).map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [null, -32600],
      [2, -32601],
    ]);
    client.send({ jsonrpc: "2.0", method: "no.such" }, call(3, "session.facts", { sessionId: "s1" }));
    await client.answer(3);
    expect(client.singles()).toHaveLength(2);
  });

  it("closes a connection that never says who it is", async () => {
    await serve({ helloMs: 20 });
    const client = new RawClient();
    await client.until(() => client.closed);
  });
});

describe("notifications", () => {
  it("sends facts after the answer to the open that they interrupt", async () => {
    await serve();
    const client = await greeted();
    client.send(call("open", "session.open", { sessionId: "s1" }), prompt(1, "facts 3 10"));
    await client.until(() => client.facts().length === 3);
    const order = client.singles().map(({ id, method }) => method ?? id);
    expect(order.indexOf("open")).toBeLessThan(order.indexOf("session.fact"));
    expect(client.facts()).toEqual([1, 2, 3]);
  });

  it("merges deltas per frame, in order, and before the fact that ends them", async () => {
    await serve({ frameMs: 50 });
    const client = await watching();
    const text = "the quick brown fox jumps over the lazy dog and the cat ".repeat(2);
    client.send(prompt(1, `stream ${text}`));
    await client.until(() => client.facts().length === 1);
    expect(client.text()).toBe(text);
    const deltas = client.singles().filter(({ method }) => method === "session.delta");
    expect(deltas.length).toBeLessThan(text.length / 4);
    expect(client.singles().findIndex(({ method }) => method === "session.fact")).toBeGreaterThan(
      client.singles().findLastIndex(({ method }) => method === "session.delta"),
    );
  });

  it("keeps every fact for a client that reads late, drops its deltas and says so, and holds up nobody", async () => {
    await serve({ deltaLag: 100_000, maxLag: 64_000_000 });
    const slow = await watching();
    const quick = await watching();
    slow.socket.pause();
    quick.send(prompt(1, "facts 300 10000"));
    await quick.until(() => quick.facts().length === 300);
    quick.send(prompt(2, "stream some text that the slow one will not see"));
    await quick.until(() => quick.facts().length === 301);
    expect(slow.facts().length).toBeLessThan(300);
    slow.socket.resume();
    await slow.until(() => slow.singles().some(({ params }) => params?.code === "deltas_dropped"));
    expect(slow.facts()).toEqual(Array.from({ length: 301 }, (_, index) => index + 1));
    expect(slow.text()).toBe("");
  });

  it("tells a client that lags too far to come back, and ends", async () => {
    await serve({ maxLag: 500_000 });
    const slow = await watching();
    const quick = await watching();
    slow.socket.pause();
    // In portions: the quick one must have the time to read.
    for (let id = 1; id <= 20; id++) {
      quick.send(prompt(id, "facts 10 20000"));
      await quick.until(() => quick.facts().length === id * 10);
    }
    slow.socket.resume();
    await slow.until(() => slow.closed);
    expect(slow.singles().at(-1)?.params?.code).toBe("too_slow");
    const seen = slow.facts();
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
    expect(quick.closed).toBe(false);
  });

  it("takes no more calls from a client that does not take its answers", async () => {
    let taken = 0;
    const slowExport = async () => {
      taken += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { export: { text: "y".repeat(100_000) } };
    };
    await serve({ pauseReading: 1_000_000, maxCalls: 10 }, { "session.export": slowExport });
    const greedy = await greeted();
    const other = await greeted();
    greedy.socket.pause();
    const ids = Array.from({ length: 300 }, (_, index) => index);
    greedy.send(...ids.map((id) => call(id, "session.export", { sessionId: "s1" })));
    for (let id = 1; id < 50; id++) {
      other.send(call(id, "session.facts", { sessionId: "s1" }));
      await other.answer(id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(taken).toBeLessThan(100);
    greedy.socket.resume();
    for (const id of ids) expect((await greedy.answer(id)).result).toBeDefined();
    expect(taken).toBe(300);
  });

  it("says that it stops before it ends", async () => {
    await serve();
    const client = await greeted();
    await server?.close();
    await client.until(() => client.closed);
    expect(client.singles().at(-1)).toMatchObject({ method: "daemon.notice", params: { code: "stopping" } });
  });
});

describe("other languages", () => {
  it("can drive a session with the example of the documentation", async () => {
    await serve();
    const page = readFileSync(resolve(import.meta.dirname, "../../../docs/protocol.md"), "utf8");
    const example = /```python\n([\s\S]+?)```/.exec(page)?.[1] ?? "";
    mkdirSync(join(folder, "lathe", "daemon"), { recursive: true });
    writeFileSync(join(folder, "lathe", "daemon", "daemon.json"), JSON.stringify({ socketPath }));
    const env = { PATH: process.env.PATH, XDG_STATE_HOME: folder };
    const { stdout } = await promisify(execFile)("python3", ["-c", example], { env, cwd: folder });
    expect(stdout.trim()).toBe("You asked: What does this project do?");
  });
});

import type { Server as HttpServer } from "node:http";
import type { Server, Socket } from "node:net";
import type { CommandPass } from "../proxy/command-pass.ts";
import { answerQuery } from "../proxy/dns.ts";
import { createHttpGate } from "../proxy/http-gate.ts";
import { createSocksGate } from "../proxy/socks-gate.ts";
import { createSyntheticNames } from "../proxy/synthetic.ts";
import { dial, join } from "../proxy/tunnel.ts";
import { type Holder, startHolder } from "./holder.ts";
import { type SocketMaker, startSocketMaker } from "./socket-maker.ts";
import { ownerOf } from "./socket-owner.ts";

/** Where the gate listens inside. Not 127.0.0.1, whose ports belong to the commands. */
export const GATE = { host: "127.77.0.1", httpPort: 3128, socksPort: 1080, dns: "127.77.0.53" } as const;

/**
 * Ports on which a looked-up name can be reached by programs that know no proxy: remote shells, mail, databases,
 * queues, web. Ports of development servers are left to the commands.
 */
const PLAIN_PORTS = [
  22, 25, 80, 110, 143, 389, 443, 465, 587, 636, 993, 995, 1433, 1521, 3306, 5432, 5671, 5672, 6379, 6380,
  9042, 9092, 9418, 11211, 27017,
];

/** The helper that makes sockets ends after this time without a new name. */
const MAKER_IDLE_MS = 5000;

/** The network of one session: a namespace with nothing in it but the ways to the gate. */
export type SessionNetwork = {
  /** Words that run a program in it. */
  enter: readonly string[];
  alive(): boolean;
  add(pass: CommandPass): void;
  remove(pass: CommandPass): void;
  end(): void;
};

export type SessionNetworkOptions = { bwrap: string; nsenter: string; node: string };

export async function openSessionNetwork(options: SessionNetworkOptions): Promise<SessionNetwork> {
  const holder = await startHolder(options.bwrap);
  const enter = [options.nsenter, "-t", String(holder.pid), "-U", "-n", "--preserve-credentials", "--"];
  const network = createNetwork(holder, enter, options.node);
  try {
    await network.listen();
  } catch (error) {
    network.end();
    throw error;
  }
  return network;
}

function createNetwork(
  holder: Holder,
  enter: readonly string[],
  node: string,
): SessionNetwork & { listen(): Promise<void> } {
  const passes = new Map<string, CommandPass>();
  const names = createSyntheticNames();
  const closers: (() => void)[] = [];
  const makers = createMakers(enter, node);
  const ready = new Map<string, Promise<void>>();
  const passOf = (token: string): CommandPass | null => passes.get(token) ?? null;

  const serve = (server: Server, onConnection: (socket: Socket) => void): void => {
    server.on("connection", onConnection);
    server.on("error", () => undefined);
    closers.push(() => server.close());
  };

  const openPlain = async (name: string, address: string): Promise<void> => {
    const maker = makers.get();
    await Promise.all(
      PLAIN_PORTS.map(async (port) => {
        // A port that a command listens on already stays its own.
        const server = await maker.tcp(address, port).catch(() => null);
        if (server) serve(server, (socket) => void relay(socket, name, port, passes, holder));
      }),
    );
  };

  const resolveInside = async (query: Buffer): Promise<Buffer | null> => {
    let address: string | null = null;
    const answer = answerQuery(query, (name) => {
      address = names.addressFor(name);
      if (!ready.has(address)) ready.set(address, openPlain(name, address));
      return address;
    });
    if (address !== null) await ready.get(address);
    return answer;
  };

  const listen = async (): Promise<void> => {
    const maker = makers.get();
    const [http, socks, dns] = await Promise.all([
      maker.tcp(GATE.host, GATE.httpPort),
      maker.tcp(GATE.host, GATE.socksPort),
      maker.udp(GATE.dns, 53),
    ]);
    const httpGate: HttpServer = createHttpGate({ passOf, nameOf: (host) => names.nameOf(host) ?? host });
    const socksGate = createSocksGate({ passOf, syntheticName: names.nameOf });
    serve(http, (socket) => httpGate.emit("connection", socket));
    serve(socks, (socket) => socksGate.emit("connection", socket));
    closers.push(() => httpGate.closeAllConnections());
    dns.on("error", () => undefined);
    dns.on("message", (query, from) => {
      void resolveInside(query).then((answer) => answer && dns.send(answer, from.port, from.address));
    });
    closers.push(() => dns.close());
  };

  return {
    enter,
    alive: holder.alive,
    add: (pass) => passes.set(pass.token, pass),
    remove: (pass) => passes.delete(pass.token),
    listen,
    end() {
      makers.close();
      for (const close of closers) close();
      holder.end();
    },
  };
}

/** A connection to a made-up address: the command it belongs to is found, and the gate decides by the name. */
async function relay(
  socket: Socket,
  name: string,
  port: number,
  passes: ReadonlyMap<string, CommandPass>,
  holder: Holder,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    const pass = await passOfSocket(socket, [...passes.values()], holder);
    const verdict = await pass?.decide(name, port);
    if (!pass || !verdict?.allow) return void socket.resetAndDestroy();
    pass.hold(socket);
    const upstream = await dial(verdict.addresses, port);
    pass.hold(upstream);
    join(socket, upstream);
  } catch {
    socket.resetAndDestroy();
  }
}

async function passOfSocket(
  socket: Socket,
  passes: readonly CommandPass[],
  holder: Holder,
): Promise<CommandPass | null> {
  if (passes.length === 1) return passes[0] ?? null;
  const pids = passes.flatMap((pass) => (pass.pid === null ? [] : [pass.pid]));
  const owner = await ownerOf(socket, holder.pid, pids);
  return passes.find((pass) => pass.pid === owner && owner !== null) ?? null;
}

/** One helper that makes sockets, started when one is needed and ended when none was for a while. */
function createMakers(enter: readonly string[], node: string): { get(): SocketMaker; close(): void } {
  let maker: SocketMaker | null = null;
  let timer: NodeJS.Timeout | null = null;
  const close = (): void => {
    if (timer !== null) clearTimeout(timer);
    maker?.close();
    maker = null;
  };
  return {
    get() {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(close, MAKER_IDLE_MS);
      timer.unref();
      maker ??= startSocketMaker(enter, node);
      return maker;
    },
    close,
  };
}

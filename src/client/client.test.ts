import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildToy, logged, type Toy } from "../daemon/server/testing/build-toy.ts";
import { markTest, type ToyOptions, unmarkTest } from "../daemon/server/testing/toy-daemon.ts";
import { type Client, connect } from "./client.ts";
import type { ReachOptions } from "./reach-daemon.ts";
import { sendCommand } from "./send.ts";

let toy: Toy;
let folder: string;
const clients: Client[] = [];

beforeAll(async () => {
  toy = await buildToy();
});
afterAll(() => toy.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-cli-"));
  markTest(folder);
});
afterEach(async () => {
  unmarkTest(folder);
  for (const client of clients.splice(0)) client.close();
  for (const pid of startedPids()) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const stateDir = (): string => join(folder, "state");
const startedPids = (): number[] =>
  existsSync(join(stateDir(), "logs", "daemon.log")) ? logged(stateDir(), "started") : [];

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}

function optionsFor(more: Partial<ToyOptions> & { clientVersion?: string } = {}): ReachOptions {
  const { clientVersion, ...toyMore } = more;
  const socketPath = toyMore.socketPath ?? join(folder, "run", "d.sock");
  const version = toyMore.version ?? "1.0.0";
  return {
    socketPath,
    daemonFile: join(stateDir(), "daemon", "daemon.json"),
    client: { name: "test", version: clientVersion ?? version, id: "t1" },
    startDaemon: {
      command: process.execPath,
      args: toy.args({ stateDir: stateDir(), socketPath, version, testDir: folder, ...toyMore }),
      environment: { PATH: "/usr/bin:/bin" },
      outputFile: join(stateDir(), "logs", "daemon.out"),
    },
  };
}

async function connected(more: Parameters<typeof optionsFor>[0] = {}): Promise<Client> {
  const client = await connect(optionsFor(more));
  clients.push(client);
  return client;
}

/** Starts a daemon as somebody else would, and waits until it is up. */
async function running(more: Partial<ToyOptions>): Promise<void> {
  const before = startedPids().length;
  const args = optionsFor(more).startDaemon?.args ?? [];
  spawn(process.execPath, args, { stdio: "ignore" }).unref();
  while (startedPids().length === before) await new Promise((resolve) => setTimeout(resolve, 10));
}

const prompt = (text: string, commandId = text) => ({
  sessionId: "s1",
  commandId,
  content: [{ type: "text" as const, text }],
  interactive: false,
  boundToClient: false,
});

describe("connect", () => {
  it("starts the daemon: detached, in /, with nothing of our environment", async () => {
    const client = await connected();
    expect(client.daemon).toMatchObject({ version: "1.0.0", protocolVersion: 1 });
    expect(client.notices).toEqual([]);
    const { pid } = client.daemon;
    expect(pid).not.toBe(process.pid);
    if (process.platform === "linux") {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
      expect(environment).toEqual(["PATH=/usr/bin:/bin"]);
      const session = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[3];
      expect(session).toBe(String(pid));
    }
  });

  it("uses the daemon that runs", async () => {
    const first = await connected();
    const second = await connected();
    expect(second.daemon.pid).toBe(first.daemon.pid);
    expect(startedPids()).toHaveLength(1);
  });

  it("gives eight clients that start at once one daemon", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => connected({ startDelayMs: 30 })));
    expect(new Set(all.map(({ daemon }) => daemon.pid)).size).toBe(1);
    expect(startedPids()).toHaveLength(1);
  });

  it("replaces a daemon that was killed, with its socket left behind", async () => {
    const first = await connected();
    await first.call("session.prompt", prompt("kept"));
    process.kill(first.daemon.pid, "SIGKILL");
    await lost(first);
    const all = await Promise.all(Array.from({ length: 4 }, () => connected()));
    expect(new Set(all.map(({ daemon }) => daemon.pid)).size).toBe(1);
    expect(all[0]?.daemon.pid).not.toBe(first.daemon.pid);
    const { facts } = (await all[0]?.call("session.facts", { sessionId: "s1" })) ?? { facts: [] };
    expect(facts).toHaveLength(1);
  });

  it("finds the daemon of the state folder on another socket", async () => {
    const first = await connected();
    const second = await connected({ socketPath: join(folder, "other", "d.sock") });
    expect(second.daemon.pid).toBe(first.daemon.pid);
  });

  it("says why the daemon could not start", async () => {
    await expect(connected({ failWith: "the database is newer than this lathe" })).rejects.toMatchObject({
      code: "daemon_failed",
      message: expect.stringContaining("the database is newer than this lathe"),
    });
    const options = optionsFor();
    const missing = { ...options, startDaemon: { ...options.startDaemon, command: "/no/such/node" } };
    await expect(connect(missing as ReachOptions)).rejects.toMatchObject({ code: "daemon_failed" });
  });

  it("gives up in time when the daemon never answers, or when it is told to", async () => {
    const slow = { ...optionsFor({ startDelayMs: 700 }), startTimeoutMs: 100 };
    await expect(connect(slow)).rejects.toMatchObject({ code: "daemon_failed" });
    await expect(connect({ ...slow, signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(connect({ ...slow, startDaemon: null })).rejects.toMatchObject({ code: "no_daemon" });
  });

  it("does not wait for ever for a daemon that hangs", async () => {
    const client = await connected();
    process.kill(client.daemon.pid, "SIGSTOP");
    await expect(connect({ ...optionsFor(), startTimeoutMs: 100 })).rejects.toMatchObject({
      code: "daemon_stuck",
    });
  });

  it("trusts no socket that another could have put there", async () => {
    mkdirSync(join(folder, "real"), { mode: 0o700 });
    const listener = createServer().listen(join(folder, "real", "d.sock"));
    await new Promise((resolve) => listener.once("listening", resolve));
    symlinkSync(join(folder, "real"), join(folder, "run"));
    await expect(connect(optionsFor())).rejects.toMatchObject({ code: "unsafe_directory" });
    rmSync(join(folder, "run"));
    mkdirSync(join(folder, "run"));
    writeFileSync(join(folder, "run", "d.sock"), "");
    await expect(connect(optionsFor())).rejects.toMatchObject({ code: "unsafe_socket" });
    await new Promise((resolve) => listener.close(resolve));
  });
});

function lost(client: Client): Promise<string> {
  return new Promise((resolve) => client.onLost(resolve));
}

describe("a daemon of another version", () => {
  it("is replaced when it is idle", async () => {
    const old = await connected({ version: "0.9.0" });
    const end = lost(old);
    const client = await connected({ version: "1.0.0" });
    expect(await end).toBe("stopping");
    expect(client.daemon.version).toBe("1.0.0");
    expect(isRunning(old.daemon.pid)).toBe(false);
    await old.reconnect();
    expect(old.daemon.version).toBe("1.0.0");
    expect(old.notices.at(-1)).toContain("the running daemon is version 1.0.0, this is 0.9.0");
  });

  it("is used with a notice when it is busy", async () => {
    const old = await connected({ version: "0.9.0", busy: true });
    const client = await connected({ version: "1.0.0" });
    expect(client.daemon.pid).toBe(old.daemon.pid);
    expect(client.notices[0]).toContain("the running daemon is version 0.9.0, this is 1.0.0");
    expect((await client.call("session.facts", { sessionId: "s1" })).facts).toEqual([]);
  });

  it("is refused when it is busy and speaks another protocol, replaced when idle", async () => {
    await running({ version: "0.5.0", protocolVersion: 0, busy: true });
    await expect(connected({ version: "1.0.0" })).rejects.toMatchObject({
      code: "protocol_version",
      message: expect.stringContaining("lathe daemon stop --force"),
    });
    for (const pid of startedPids()) process.kill(pid, "SIGKILL");
    await running({ version: "0.5.0", protocolVersion: 0 });
    expect((await connected({ version: "1.0.0" })).daemon.version).toBe("1.0.0");
  });
});

describe("calls", () => {
  it("reject with the daemon's code, when given up, and when the connection is lost", async () => {
    const client = await connected();
    await expect(client.call("session.facts", { sessionId: "gone" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(client.call("blob.read", { hash: "zz" })).rejects.toMatchObject({ code: "invalid_params" });
    const given = client.call("session.prompt", prompt("stream abcdefgh"), {
      signal: AbortSignal.timeout(1),
    });
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    await expect(client.call("session.prompt", prompt("die"))).rejects.toMatchObject({
      code: "connection_lost",
    });
    await expect(client.call("session.facts", { sessionId: "s1" })).rejects.toMatchObject({
      code: "connection_lost",
    });
    expect(client.connected).toBe(false);
  });

  it("commands are sent again with the same id and carried out once", async () => {
    const client = await connected();
    const first = client.daemon.pid;
    const answer = await sendCommand(client, "session.prompt", prompt("die", "c1"));
    expect(answer.accepted).toBe(true);
    expect(client.daemon.pid).not.toBe(first);
    expect((await client.call("session.facts", { sessionId: "s1" })).facts).toHaveLength(1);
  });

  it("do not start a daemon again when told so", async () => {
    const client = await connected();
    process.kill(client.daemon.pid, "SIGKILL");
    await lost(client);
    const again = sendCommand(client, "session.prompt", prompt("x"), { restart: false, giveUpMs: 50 });
    await expect(again).rejects.toMatchObject({ code: "no_daemon" });
  });

  it("share one attempt to reconnect; one that gives up does not end it for the others", async () => {
    const client = await connected();
    process.kill(client.daemon.pid, "SIGKILL");
    await lost(client);
    const hasty = client.reconnect({ signal: AbortSignal.timeout(1) });
    const patient = client.reconnect();
    await expect(hasty).rejects.toMatchObject({ code: "aborted" });
    await patient;
    expect(client.connected).toBe(true);
  });

  it("end with close, also in the middle of reconnecting", async () => {
    const client = await connected();
    process.kill(client.daemon.pid, "SIGKILL");
    await lost(client);
    const reconnecting = client.reconnect({ restart: false });
    client.close();
    await expect(reconnecting).rejects.toMatchObject({ code: expect.stringMatching(/aborted|closed/) });
  });

  it("are refused after close", async () => {
    const client = await connected();
    client.close();
    await client.closed;
    await expect(client.reconnect()).rejects.toMatchObject({ code: "closed" });
    await expect(client.call("daemon.status", {})).rejects.toMatchObject({ code: "connection_lost" });
  });
});

describe("the daemon process", () => {
  it("ends itself when idle, removes its socket and can be started again", async () => {
    const client = await connected({ idleMs: 50 });
    const { pid } = client.daemon;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(isRunning(pid)).toBe(true);
    client.close();
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(existsSync(join(folder, "run", "d.sock"))).toBe(false);
    expect(existsSync(join(stateDir(), "daemon", "daemon.json"))).toBe(false);
    expect((await connected()).daemon.pid).not.toBe(pid);
  });

  it("stops in order on SIGTERM and lives through SIGHUP", async () => {
    const client = await connected();
    const { pid } = client.daemon;
    process.kill(pid, "SIGHUP");
    await client.call("session.prompt", prompt("still here"));
    const end = lost(client);
    process.kill(pid, "SIGTERM");
    expect(await end).toBe("stopping");
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(logged(stateDir(), "stopped")).toHaveLength(1);
    expect(existsSync(join(folder, "run", "d.sock"))).toBe(false);
  });

  it("steps back for one that runs, with exit code 0", async () => {
    const client = await connected();
    const args = toy.args({
      stateDir: stateDir(),
      socketPath: join(folder, "run", "d.sock"),
      version: "2.0.0",
    });
    const second = spawn(process.execPath, args, { stdio: "ignore" });
    const code = await new Promise((resolve) => second.once("exit", resolve));
    expect(code).toBe(0);
    expect(logged(stateDir(), "stepped back")).toEqual([second.pid]);
    expect(isRunning(client.daemon.pid)).toBe(true);
  });

  it("tightens a folder that others could enter", async () => {
    mkdirSync(join(folder, "run"), { mode: 0o755 });
    chmodSync(join(folder, "run"), 0o755);
    await connected();
    expect(existsSync(join(folder, "run", "d.sock"))).toBe(true);
  });
});

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandResult, DomainRequest, SandboxPort, SpawnSpec } from "../../protocol/ports.ts";
import { createSandbox } from "../create.ts";
import { buildPolicy } from "../policy.ts";
import type { GateDecision } from "../proxy/decide.ts";

let base = "";
let work = "";
let sandbox: SandboxPort;
let servers: Server[] = [];
let decisions: GateDecision[] = [];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-gate-")));
  work = join(base, "work");
  for (const name of ["work", "home"]) mkdirSync(join(base, name));
  servers = [];
  decisions = [];
  let ids = 0;
  sandbox = createSandbox({
    stateDir: join(base, "state"),
    tmpRoot: join(base, "state/tmp"),
    home: join(base, "home"),
    now: Date.now,
    newId: () => `id-${ids++}`,
    resolver: { resolve: () => Promise.resolve(["127.0.0.1"]), exempt: ["127.0.0.1"] },
    onNetworkDecision: (decision) => decisions.push(decision),
  });
});

afterEach(async () => {
  await sandbox.release("s1");
  for (const server of servers) server.close();
  rmSync(base, { recursive: true, force: true });
});

async function listen(server: Server, port = 0): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

const web = (): Promise<number> =>
  listen(
    createHttpServer((request, response) => response.end(`got ${request.headers.host} ${request.url}\n`)),
  );

async function run(
  command: string,
  more: Partial<SpawnSpec> = {},
  allow: string[] = [],
): Promise<CommandResult> {
  const result = await sandbox.run({
    sessionId: "s1",
    command,
    cwd: work,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(base, "home"), LANG: "C.UTF-8" },
    policy: buildPolicy({
      mode: "workspace-write",
      writableRoots: [work],
      readableRoots: [],
      home: join(base, "home"),
      tmpDir: join(base, "state/tmp/s1"),
      privateDirs: [join(base, "state")],
      network: { type: "gate", allow, deny: ["never.test"], hosts: {}, privateAddresses: [] },
    }),
    profile: "workspace-write",
    unsandboxed: false,
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...more,
  });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

describe("the gate", () => {
  it("lets allowed domains through HTTP and SOCKS, refuses others by name, and logs each decision", async () => {
    const port = await web();
    const result = await run(
      `curl -sS http://a.test:${port}/x; curl -sS -p http://a.test:${port}/y; curl -sS --noproxy '' -x $ALL_PROXY http://a.test:${port}/z; curl -sS http://b.test:${port}/`,
      {},
      ["a.test"],
    );
    expect(result.stdout.text).toContain(
      `got a.test:${port} /x\ngot a.test:${port} /y\ngot a.test:${port} /z\n`,
    );
    expect(result.stdout.text).toContain("lathe: network access to b.test is denied");
    expect(result.denials).toEqual([{ type: "network", domain: "b.test" }]);
    expect(decisions.map((one) => `${one.host} ${one.allow}`)).toEqual([
      "a.test true",
      "a.test true",
      "a.test true",
      "b.test false",
    ]);
  });

  it("asks for an unknown domain once, with the command, and never for a denied one", async () => {
    const port = await web();
    const asked: DomainRequest[] = [];
    const command = `curl -sS http://new.test:${port}/1; curl -sS http://new.test:${port}/2; curl -sS http://never.test:${port}/`;
    const result = await run(command, {
      decideDomain: (request) => {
        asked.push(request);
        return Promise.resolve({ allow: true, reason: "yes" });
      },
    });
    expect(asked).toEqual([{ domain: "new.test", port, command }]);
    expect(result.stdout.text).toContain("/1\ngot");
    expect(result.denials).toEqual([{ type: "network", domain: "never.test" }]);
  });

  it("brings programs that know no proxy to the gate, by the name they looked up", async () => {
    const banner = await listen(
      createServer((socket) => socket.end("banner\n")),
      9418,
    ).catch(() => null);
    expect(banner).toBe(9418);
    const script = `python3 -c 'import socket; print(socket.create_connection(("db.test", 9418)).recv(20))'`;
    const refused = await run(script);
    expect(refused.denials).toEqual([{ type: "network", domain: "db.test" }]);
    const asked: string[] = [];
    const allowed = await run(script, {
      decideDomain: ({ domain, port }) => {
        asked.push(`${domain}:${port}`);
        return Promise.resolve({ allow: true, reason: "yes" });
      },
    });
    expect(allowed.stdout.text).toContain("banner");
    expect(asked).toEqual(["db.test:9418"]);
  });

  it("does not let one command use another's approval", async () => {
    const port = await web();
    const yes = { decideDomain: () => Promise.resolve({ allow: true, reason: "yes" }) };
    const [mine, other] = await Promise.all([
      run(`echo "$HTTP_PROXY" > proxy; curl -sS http://x.test:${port}/mine; sleep 1.5`, yes),
      run(
        `sleep 0.7; curl -sS http://x.test:${port}/other; curl -sS -x http://127.77.0.1:3128 http://x.test:${port}/none`,
      ),
    ]);
    expect(mine.stdout.text).toContain("/mine");
    expect(other.stdout.text).not.toContain("got");
    expect(other.stdout.text).toContain("credentials");
    const late = await run(`curl -sS -x "$(cat proxy)" http://x.test:${port}/late`);
    expect(late.stdout.text).not.toContain("got");
  });

  it("tells commands apart that connect without credentials", async () => {
    await listen(
      createServer((socket) => socket.end("banner\n")),
      11211,
    );
    const script = `python3 -c 'import socket; print(socket.create_connection(("db.test", 11211)).recv(20))'; sleep 1`;
    const yes = { decideDomain: () => Promise.resolve({ allow: true, reason: "yes" }) };
    const [allowed, refused] = await Promise.all([run(script, yes), run(script)]);
    expect(allowed.stdout.text).toContain("banner");
    expect(refused.stdout.text).not.toContain("banner");
  });

  it("lets a later command reach a server of an earlier one that still runs", async () => {
    const stop = new AbortController();
    const server = run("python3 -m http.server 8931 --bind 127.0.0.1", { signal: stop.signal });
    writeFileSync(join(work, "page"), "served\n");
    const client = await run(
      "for i in $(seq 100); do curl -fsS -m 5 http://127.0.0.1:8931/page 2>/dev/null && break; sleep 0.1; done",
    );
    stop.abort();
    expect(client.stdout.text).toBe("served\n");
    expect((await server).interrupted).toBe(true);
  });

  it("shows no host network, and no way to it but the gate", async () => {
    const port = await web();
    const result = await run(
      `curl -sS -m 3 --noproxy '*' http://127.0.0.1:${port}/; curl -sS -m 3 http://127.0.0.1:${port}/ --noproxy ''; curl -sS -m 3 http://localhost:${port}/ --noproxy ''; true`,
      { decideDomain: () => Promise.resolve({ allow: true, reason: "yes" }) },
    );
    expect(result.stdout.text).not.toContain("got");
  });
});

describe("the end of the daemon", () => {
  it("takes commands and the network of the session with it, even by SIGKILL", async () => {
    const bundle = join(base, "daemon.mjs");
    await build({
      stdin: {
        contents: `
          import { createSandbox } from "./create.ts";
          import { buildPolicy } from "./policy.ts";
          const base = ${JSON.stringify(base)};
          let n = 0;
          const sandbox = createSandbox({ stateDir: base + "/state", tmpRoot: base + "/state/tmp", home: base + "/home", now: Date.now, newId: () => "d" + n++ });
          const policy = buildPolicy({ mode: "workspace-write", writableRoots: [base + "/work"], readableRoots: [], home: base + "/home", tmpDir: base + "/state/tmp/s9", privateDirs: [], network: { type: "gate", allow: [], deny: [], hosts: {}, privateAddresses: [] } });
          await sandbox.run({ sessionId: "s9", command: "setsid sleep 987 & trap '' TERM; touch started; sleep 987", cwd: base + "/work", env: { PATH: "/usr/bin:/bin" }, policy, profile: "workspace-write", unsandboxed: false, timeoutMs: 60000, signal: new AbortController().signal });
        `,
        resolveDir: join(import.meta.dirname, ".."),
        loader: "ts",
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: bundle,
    });
    const daemon = spawn(process.execPath, [bundle], { stdio: "inherit" });
    const until = async (test: () => boolean): Promise<boolean> => {
      for (let tries = 0; tries < 300 && !test(); tries++) await new Promise((next) => setTimeout(next, 50));
      return test();
    };
    expect(await until(() => existsSync(join(work, "started")))).toBe(true);
    const before = childrenOf(daemon.pid ?? 0);
    expect(before.length).toBeGreaterThanOrEqual(5);
    daemon.kill("SIGKILL");
    expect(await until(() => !before.some(isAlive))).toBe(true);
  }, 40_000);
});

function childrenOf(pid: number): number[] {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return own.flatMap((one) => [one, ...childrenOf(one)]);
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

import { spawn } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { daemonFileOf, electDaemon } from "./elect-daemon.ts";
import { identityOf, livenessOf } from "./process-identity.ts";

let scripts: string;
let stateDir: string;

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), "lathe-elect-"));
  await build({
    stdin: {
      contents: `
        import { electDaemon } from "./elect-daemon.ts";
        const socketPath = process.argv[3];
        const election = await electDaemon({
          stateDir: process.argv[2],
          record: { version: "1", socketPath, startedAt: 0 },
        });
        if (election.won) setInterval(() => undefined, 10_000);
        process.stdout.write(election.won ? "won " : "lost ");
      `,
      resolveDir: resolve(import.meta.dirname),
      loader: "ts",
    },
    outfile: join(scripts, "contender.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => {
  stateDir = join(mkdtempSync(join(tmpdir(), "lathe-elect-")), "state");
});
afterEach(() => rmSync(join(stateDir, ".."), { recursive: true, force: true }));

const record = { version: "1", socketPath: "/nonexistent/d.sock", startedAt: 0 };
const locks = (): string[] =>
  readdirSync(join(stateDir, "daemon")).filter((name) => name.startsWith("lock."));

describe("electDaemon", () => {
  it("lets one win, again and again, when the winner is killed among many contenders", async () => {
    // No socket answers, so those that did not win wait for the winner to die.
    const contend = (): { pid: number; result: Promise<string>; kill(): void } => {
      const child = spawn(process.execPath, [join(scripts, "contender.mjs"), stateDir, join(stateDir, "s")]);
      const result = new Promise<string>((done) => {
        child.stdout.once("data", (data) => done(String(data).trim()));
        child.once("exit", () => done("ended"));
      });
      return { pid: child.pid ?? 0, result, kill: () => void child.kill("SIGKILL") };
    };
    const winners = new Set<number>();
    const contenders = Array.from({ length: 6 }, contend);
    const alive = new Set(contenders);
    while (alive.size > 0) {
      const racing = [...alive].map(async (contender) => ({ contender, result: await contender.result }));
      const { contender, result } = await Promise.race(racing);
      expect(result).toBe("won");
      winners.add(contender.pid);
      // None of the others may have won while this one lives.
      expect(locks()).toHaveLength(1);
      const holder = JSON.parse(readFileSync(join(stateDir, "daemon", locks()[0] as string), "utf8"));
      expect(holder.process.pid).toBe(contender.pid);
      alive.delete(contender);
      contender.kill();
    }
    expect(winners.size).toBe(6);
  });

  it("loses to a holder that answers and waits in vain for one that does not", async () => {
    const socketPath = join(stateDir, "..", "d.sock");
    const first = await electDaemon({ stateDir, record: { ...record, socketPath } });
    expect(first.won).toBe(true);
    await expect(electDaemon({ stateDir, record, waitMs: 40 })).rejects.toMatchObject({
      code: "daemon_stuck",
      message: expect.stringContaining(`kill ${process.pid}`),
    });
    const server = createServer().listen(socketPath);
    const second = await electDaemon({ stateDir, record });
    expect(second).toMatchObject({ won: false, holder: { socketPath, process: { pid: process.pid } } });
    server.close();
  });

  it("takes over from a record that a power cut left empty or that names another boot", async () => {
    await electDaemon({ stateDir, record });
    const lock = join(stateDir, "daemon", "lock.1");
    writeFileSync(lock, "");
    expect((await electDaemon({ stateDir, record })).won).toBe(true);
    expect(locks()).toEqual(["lock.2"]);
    const held = JSON.parse(readFileSync(join(stateDir, "daemon", "lock.2"), "utf8"));
    held.process.boot = "another";
    writeFileSync(join(stateDir, "daemon", "lock.2"), JSON.stringify(held));
    expect((await electDaemon({ stateDir, record })).won).toBe(true);
    expect(locks()).toEqual(["lock.3"]);
  });

  it("announces where it listens and takes it back, private to the user", async () => {
    const election = await electDaemon({ stateDir, record });
    if (!election.won) throw new Error("must win");
    election.lease.announce();
    expect(JSON.parse(readFileSync(daemonFileOf(stateDir), "utf8"))).toMatchObject({
      ...record,
      pid: process.pid,
    });
    expect(statSync(daemonFileOf(stateDir)).mode & 0o777).toBe(0o600);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    election.lease.withdraw();
    expect(() => statSync(daemonFileOf(stateDir))).toThrow("ENOENT");
  });

  it("refuses a state folder that is a link", async () => {
    symlinkSync(tmpdir(), stateDir);
    await expect(electDaemon({ stateDir, record })).rejects.toMatchObject({ code: "unsafe_directory" });
  });
});

describe("livenessOf", () => {
  it("knows this process, and is not deceived by a number that was used again", () => {
    const own = identityOf(process.pid);
    expect(livenessOf(own)).toBe("alive");
    expect(livenessOf({ ...own, started: "1" })).toBe("dead");
    expect(livenessOf({ ...own, namespace: "pid:[1]" })).toBe("unknown");
    expect(livenessOf({ ...own, pid: 2 ** 22 + 1 })).toBe("dead");
  });

  it("counts a zombie as dead", async () => {
    // `sleep 5` takes the place of the shell and never asks after the child that it did not start.
    const parent = spawn("/bin/sh", ["-c", "sleep 0.3 & echo $!; exec sleep 5"]);
    const pid = Number(await new Promise((done) => parent.stdout.once("data", (data) => done(String(data)))));
    const identity = identityOf(pid);
    expect(livenessOf(identity)).toBe("alive");
    await new Promise((done) => setTimeout(done, 600));
    expect(livenessOf(identity)).toBe("dead");
    parent.kill("SIGKILL");
  });
});

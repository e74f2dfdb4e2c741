import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
let servers: Server[] = [];
afterEach(async () => {
  await at?.close();
  at = undefined;
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  servers = [];
});

const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const ok = { text: "ok" };
const isRoot = process.getuid?.() === 0;

async function listen(
  where: string | { port: number; host: string },
): Promise<{ server: Server; accepted: () => number }> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(where as never, () => done()));
  return { server, accepted: () => accepted };
}

describe("kind 7: sandbox", () => {
  // Only root can take bubblewrap away from one process tree: an empty file over it, in mounts of its own.
  it.runIf(isRoot)(
    "H32 says that there is no sandbox, runs nothing bare, and still edits files",
    async () => {
      at = await openCase([
        {
          calls: [
            { name: "bash", input: { command: "touch ran" } },
            { name: "write_file", input: { path: "n.txt", content: "x" } },
          ],
        },
        { text: "could not run it" },
        { calls: [{ name: "bash", input: { command: "touch ran" } }] },
        ok,
      ]);
      const empty = join(at.outside, "bwrap");
      writeFileSync(empty, "", { mode: 0o755 });
      const without = [
        "unshare",
        "-m",
        "sh",
        "-c",
        `mount --bind ${empty} /usr/bin/bwrap && exec "$@"`,
        "sh",
      ];
      const run = await at.ask("go", [], { wrap: without });
      expect(existsSync(join(at.work, "ran"))).toBe(false);
      expect(run.code).not.toBe(0);
      expect(run.json.sandbox).toBe("unavailable");
      expect(`${run.stderr} ${JSON.stringify(run.json)}`).toMatch(/no sandbox/);
      expect(at.get("n.txt").toString()).toBe("x");
      await at.run(["daemon", "stop"]);
      const bare = await at.ask("go", ["--sandbox", "none"], { wrap: without });
      expect(bare.code).toBe(0);
      expect(existsSync(join(at.work, "ran"))).toBe(true);
      expect(bare.json.sandbox).toBe("none");
      expect(bare.stderr).toMatch(/without a sandbox/);
      await at.check(["n.txt", "ran"]);
    },
  );

  it("H33 keeps the host's sockets out of reach", async () => {
    const script = `python3 - <<'E'
import socket
for family, where in ((socket.AF_UNIX, PATH), (socket.AF_UNIX, "\\0" + NAME), (socket.AF_INET, ("127.0.0.1", PORT))):
    try:
        s = socket.socket(family); s.settimeout(3); s.connect(where); print("CONNECTED", where)
    except OSError as e:
        print("E", e)
E`;
    at = await openCase([ok]);
    const path = join(at.outside, "broker.sock");
    const name = `lathe-h33-${process.pid}`;
    const unix = await listen(path);
    const abstract = await listen(`\0${name}`);
    const tcp = await listen({ port: 0, host: "127.0.0.1" });
    const address = tcp.server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const command = script
      .replace("PATH", JSON.stringify(path))
      .replace("NAME", JSON.stringify(name))
      .replace("PORT", String(port));
    await at.play([bash(command), ok]);
    await at.ask("go", ["--permission-mode", "auto"]);
    const [result] = newResults(at.model.requests[1]);
    expect(result?.text).not.toContain("CONNECTED");
    expect(result?.text.match(/^E /gm)).toHaveLength(3);
    expect([unix.accepted(), abstract.accepted(), tcp.accepted()]).toEqual([0, 0, 0]);
    await at.check();
  });

  it("H34 works in a project below /tmp, with temp files, shared memory and a server of its own", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-h34-"));
    const work = join(folder, "w");
    mkdirSync(work);
    writeFileSync(join(work, "here"), "");
    at = await openCase([
      bash("ls"),
      bash('mktemp && echo x > "$TMPDIR/t" && cat "$TMPDIR/t"'),
      bash(`python3 -c "import multiprocessing as m; m.Lock(); print('shm')"`),
      bash(
        "python3 -m http.server --bind 127.0.0.1 8931 >/dev/null 2>&1 & sleep 1.5; curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8931/; kill %1",
      ),
      ok,
    ]);
    const before = readdirSync("/tmp").filter((name) => name.startsWith("tmp."));
    const run = await at.ask("go", ["--permission-mode", "auto"], { cwd: work });
    expect(run.code).toBe(0);
    const texts = [2, 3, 4, 5].map((request) => newResults(at?.model.requests[request - 1])[0]?.text ?? "");
    expect(texts[0]).toContain("here");
    expect(texts[1]).toMatch(/\/tmp\/\S+\nx/);
    expect(texts[2]).toContain("shm");
    expect(texts[3]).toContain("200");
    expect(readdirSync("/tmp").filter((name) => name.startsWith("tmp."))).toEqual(before);
    expect(readdirSync(work)).toEqual(["here"]);
    rmSync(folder, { recursive: true });
    await at.check();
  });
});

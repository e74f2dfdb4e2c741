import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { writeUserConfig } from "../../support/config.ts";
import { LATHE, until } from "../../support/lab.ts";
import { memoryPeakMb } from "../../support/memory.ts";
import { openWire, type Wire } from "../../support/rpc-lines.ts";
import { slowness } from "../../support/slowness.ts";
import { allResults, lastText } from "../../support/wire.ts";

let at: Case | undefined;
const ends: (() => void)[] = [];
afterEach(async () => {
  await at?.close();
  at = undefined;
  for (const end of ends.splice(0)) end();
});

const bash = (command: string) => ({ name: "bash", input: { command } });

/** Whether this machine lets us mount a small file system of our own. */
function mayMount(): boolean {
  try {
    execFileSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs -o size=1m t /mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("kind 9: sessions and persistence", () => {
  it("H38 starts as fast with 300 old sessions", { timeout: 180_000 }, async () => {
    let big = 0;
    at = await openCase((request) => {
      const text = request.raw.toString();
      if (!text.includes("the big one") || text.includes("THE-LAST-WORD")) return { text: "ok" };
      big += 1;
      return big % 2 === 1 ? { calls: [bash("seq 1 400000")] } : { text: `turn ${big / 2}` };
    });
    const roomy = { "anthropic/claude-sonnet-4-6": { contextWindow: 10_000_000 } };
    writeUserConfig(at, { models: { models: roomy } });
    const clean = await startToRequest(at, "hi");
    const peakClean = await peakOf(at, "hi");
    const wire = await openWire(at);
    const environment = { ANTHROPIC_BASE_URL: at.model.url, PATH: process.env.PATH ?? "" };
    const context = { environment, credentials: { ANTHROPIC_API_KEY: "lab-key" } };
    const create = async (): Promise<string> => {
      const { session } = await wire.call<{ session: { id: string } }>("session.create", {
        cwd: at?.outside,
        mode: "bypass",
        options: { sandbox: "on" },
        context,
      });
      await wire.call("session.open", { sessionId: session.id, context });
      return session.id;
    };
    for (let index = 0; index < 299; index += 1) {
      const id = await create();
      await turn(wire, id, `short ${index}`);
      await wire.call("session.close", { sessionId: id });
    }
    const before = stateBytes(at);
    const sentBefore = at.model.requests.length;
    const largest = await create();
    for (let index = 0; index < 40; index += 1)
      await turn(wire, largest, index === 0 ? "the big one" : "more");
    const sent = at.model.requests.slice(sentBefore).reduce((sum, request) => sum + request.raw.length, 0);
    await wire.call("session.close", { sessionId: largest });
    wire.end();
    expect(stateBytes(at) - before).toBeLessThan(3 * sent);
    expect(await startToRequest(at, "hi")).toBeLessThan(clean + 500 * slowness());
    expect(await peakOf(at, "hi")).toBeLessThan(peakClean + 80);
    const listed = await at.run(["sessions", "list", "--all", "--limit", "400"]);
    expect(listed.ms).toBeLessThan(2000 * slowness());
    expect(listed.stdout.trimEnd().split("\n").length).toBeGreaterThan(300);
    await at.run(["daemon", "stop"]);
    const peak = memoryPeakMb(at);
    const resumed = await at.ask("THE-LAST-WORD", ["-r", largest]);
    expect(resumed.code).toBe(0);
    expect(resumed.ms).toBeLessThan(5000 * slowness());
    expect(peak.stop()).toBeLessThan(500);
    expect(allResults(at.model.requests.at(-1)).length).toBe(40);
    await at.check();
  });

  it.skipIf(!mayMount())("H39 survives a full disk in mid-session", { timeout: 120_000 }, async () => {
    at = await openCase((_, index) => {
      if (index === 0) return { text: "old and finished" };
      if (index <= 8) return { calls: [bash(`head -c 700000 /dev/urandom | base64 -w 90 # ${index}`)] };
      if (index === 9)
        return { calls: [{ name: "write_file", input: { path: "new.txt", content: "whole\n" } }] };
      return { text: "ok" };
    });
    const state = join(at.home, "state");
    mkdirSync(state);
    const holder = spawn("unshare", [
      "-rm",
      "sh",
      "-c",
      `mount -t tmpfs -o size=4m t ${state} && echo up && exec sleep 300`,
    ]);
    ends.push(() => holder.kill("SIGKILL"));
    await new Promise<void>((up) => holder.stdout.once("data", () => up()));
    const wrap = [
      "nsenter",
      `--target=${holder.pid}`,
      "--user",
      "--mount",
      "--preserve-credentials",
      `--wd=${at.work}`,
    ];
    const how = { env: { XDG_STATE_HOME: state }, wrap };
    const old = await at.ask("first", [], how);
    expect(old.code).toBe(0);
    const full = await at.ask("fill", [], how);
    const said = full.stderr + JSON.stringify(full.json.errors);
    if (full.code !== 0) {
      expect(said).toMatch(/space|disk is full|full/i);
      expect(said).not.toMatch(/\n\s+at /);
    } else expect(at.get("new.txt").toString()).toBe("whole\n");
    // Space is there again once the fillings are gone, as a user would make it.
    const inside = (command: string) =>
      execFileSync(wrap[0] ?? "", [...wrap.slice(1), "sh", "-c", command], { encoding: "utf8" });
    inside(`mount -o remount,size=64m ${state}`);
    const onward = await at.ask("go on", ["-r", full.json.session_id ?? ""], how);
    expect(onward).toMatchObject({ code: 0, json: { result: "ok" } });
    const resumed = await at.ask("old again", ["-r", old.json.session_id], how);
    expect(resumed).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(at.model.requests.at(-1)?.raw.toString()).toContain("old and finished");
    await at.run(["daemon", "stop", "--force"], how);
    await at.check(["new.txt"]);
  });

  it("H40 leaves nothing when its terminal closes, nor after kill -9", async () => {
    at = await openCase((request) =>
      /begin/.test(lastText(request)) ? { calls: [bash("sleep 400.31")] } : { text: "ok" },
    );
    const sleeping = () => (at as Case).leftovers().some(({ command }) => command.includes("400.31"));
    const args = [LATHE, "-p", "begin", "--permission-mode", "bypass"];
    const terminal = spawnTerminal(process.execPath, args, {
      cwd: at.work,
      env: at.environment,
      cols: 80,
      rows: 24,
    });
    await until("the command runs", sleeping);
    const closed = performance.now();
    terminal.kill("SIGHUP");
    await until("client and command are gone", () => at?.leftovers().length === 0, 8000);
    expect(performance.now() - closed).toBeLessThan(8000);
    expect(await at.ask("on", ["-c"])).toMatchObject({ code: 0, json: { result: "ok" } });
    const second = at.start(["-p", "begin again", "--permission-mode", "bypass"]);
    await until("the command runs", sleeping);
    process.kill((await at.daemonPid()) ?? 0, "SIGKILL");
    second.child.kill("SIGKILL");
    await until("the command is gone", () => !sleeping(), 15_000);
    expect(await at.ask("on", ["-c"])).toMatchObject({ code: 0, json: { result: "ok" } });
    await at.check();
  });
});

/** Milliseconds from the start of a client to its request at the model; the best of three. */
async function startToRequest(lab: Case, prompt: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const number = lab.model.requests.length + 1;
    const started = performance.now();
    const run = lab.ask(prompt);
    await lab.model.waitForRequest(number, 10_000);
    times.push(performance.now() - started);
    await run;
  }
  return Math.min(...times);
}

/** Peak memory of client and a fresh daemon for one prompt, in MB. */
async function peakOf(lab: Case, prompt: string): Promise<number> {
  await lab.run(["daemon", "stop"]);
  const peak = memoryPeakMb(lab);
  await lab.ask(prompt);
  return peak.stop();
}

async function turn(wire: Wire, sessionId: string, text: string): Promise<void> {
  const finished = wire.next(
    "session.fact",
    (params) => params.sessionId === sessionId && (params.fact as { type: string }).type === "turn_finished",
  );
  await wire.call("session.prompt", {
    sessionId,
    commandId: crypto.randomUUID(),
    content: [{ type: "text", text }],
    interactive: false,
    boundToClient: false,
  });
  await finished;
}

function stateBytes(lab: Case): number {
  const folder = join(lab.home, ".local/state/lathe");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

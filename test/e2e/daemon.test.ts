import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab, resultOf, until } from "../support/lab.ts";
import { allResults, callIds } from "../support/wire.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const bash = (command: string) => ({ name: "bash", input: { command } });
const daemons = (of: Lab) => of.processes().filter(({ command }) => / daemon run$/.test(command));
const AUTO = ["--permission-mode", "auto"];

describe("the daemon and its clients", () => {
  it("is one, though clients start at once", async () => {
    lab = await openLab(() => ({ text: "ok" }));
    const runs = await Promise.all(["a", "b", "c", "d"].map((prompt) => (lab as Lab).run(["-p", prompt])));
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(runs.map(() => [0, "ok\n"]));
    expect(daemons(lab)).toHaveLength(1);
    expect(lab.problems()).toEqual([]);
  });

  it("finishes a detached turn whose client is gone, and shows it whole to another", async () => {
    lab = await openLab([
      { calls: [bash("echo made > made.txt")], hold: "request" },
      { text: "detached and done" },
    ]);
    const first = await lab.run(["-p", "go", "--detach", ...AUTO]);
    expect(first.code).toBe(0);
    const id = first.stdout.trim();
    lab.model.release();
    await lab.model.waitForRequest(2, 10_000);
    await until("the session is idle", async () => {
      const list = JSON.parse((await lab?.run(["sessions", "list", "--json"]))?.stdout ?? "[]");
      return list[0]?.status === "idle";
    });
    const shown = await lab.run(["sessions", "show", id]);
    for (const part of ["> go", "bash", "detached and done"]) expect(shown.stdout).toContain(part);
    expect(readFileSync(join(lab.work, "made.txt"), "utf8")).toBe("made\n");
  });

  it("interrupts the turn of a client that was killed, after five seconds", async () => {
    lab = await openLab([{ calls: [bash("sleep 61.77")] }, { text: "never" }]);
    const first = lab.start(["-p", "go", ...AUTO]);
    const sleeping = () => (lab as Lab).leftovers().some(({ command }) => command.includes("61.77"));
    await until("the command runs", sleeping);
    const killed = performance.now();
    first.child.kill("SIGKILL");
    await until("the command is gone", () => !sleeping(), 9000);
    expect(performance.now() - killed).toBeGreaterThan(4000);
    expect(lab.model.requests).toHaveLength(1);
    const next = await lab.run(["-p", "and?", "-c", "--output-format", "json"]);
    expect(resultOf(next)).toMatchObject({ result: "never" });
    expect(allResults(lab.model.requests[1])[0]?.text).toMatch(/interrupt/i);
    expect(lab.problems()).toEqual([]);
  });

  it("goes on after kill -9 in mid-tool, with everything acknowledged still there", async () => {
    lab = await openLab([
      { text: "First I look.", calls: [{ name: "read_file", input: { path: "a.txt" } }] },
      { text: "Then I wait.", calls: [bash("sleep 61.78")] },
      { text: "recovered" },
    ]);
    writeFileSync(join(lab.work, "a.txt"), "content of a\n");
    const first = lab.start(["-p", "the first prompt", "--output-format", "json", ...AUTO]);
    const sleeping = () => (lab as Lab).leftovers().some(({ command }) => command.includes("61.78"));
    await until("the command runs", sleeping);
    const pid = (await lab.daemonPid()) ?? 0;
    process.kill(pid, "SIGKILL");
    // Its client starts another daemon, which tells the model that the outcome is unknown, and goes on.
    const run = await first.result;
    expect(run.code).toBe(0);
    expect(resultOf(run)).toMatchObject({ result: "recovered" });
    expect(daemons(lab).map((daemon) => daemon.pid)).not.toContain(pid);
    const request = lab.model.requests[2];
    const results = allResults(request);
    expect(results.map(({ id }) => id)).toEqual(callIds(request));
    expect(results[0]?.text).toContain("content of a");
    expect(results[1]?.text).toMatch(/unknown|not known/i);
    for (const text of ["the first prompt", "First I look.", "Then I wait."])
      expect(request?.raw.toString()).toContain(text);
    expect(sleeping()).toBe(false);
    expect(lab.problems()).toEqual([]);
  });

  it("tells its state, and stops only when told twice while it works", async () => {
    lab = await openLab([{ text: "late", hold: "request" }]);
    const first = lab.start(["-p", "go"]);
    await lab.model.waitForRequest(1, 10_000);
    const status = await lab.run(["daemon", "status"]);
    expect(status.stdout).toMatch(/sessions: 1 loaded, 1 working/);
    const refused = await lab.run(["daemon", "stop"]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain("--force");
    lab.model.release();
    expect(await first.result).toMatchObject({ code: 0, stdout: "late\n" });
    expect(await lab.run(["daemon", "stop"])).toMatchObject({ code: 0 });
    expect(daemons(lab)).toEqual([]);
    expect((await lab.run(["daemon", "logs"])).stdout).toContain("serves on");
  });
});

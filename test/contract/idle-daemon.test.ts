import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab } from "../support/lab.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** CPU in ticks of 10 ms, and how often the main thread went to sleep. */
function usage(pid: number): { ticks: number; sleeps: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const sleeps = Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  return { ticks: Number(fields[11]) + Number(fields[12]), sleeps };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe.skipIf(!existsSync("/proc/self/stat"))("an idle daemon", () => {
  it("sleeps: no timer wakes it after a turn, a command and its clients are over", async () => {
    lab = await openLab([{ calls: [{ name: "bash", input: { command: "echo ran" } }] }, { text: "done" }]);
    const run = await lab.run(["-p", "go", "--permission-mode", "auto"]);
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    const pid = await lab.daemonPid();
    expect(pid).not.toBeNull();
    // What follows a turn by design: the database's log is written back, a connection's time runs out.
    await pause(3000);
    const before = usage(pid ?? 0);
    await pause(3000);
    const after = usage(pid ?? 0);
    expect(after.ticks - before.ticks).toBeLessThanOrEqual(1);
    // Node itself may look up once or twice; a timer of a second would show as three.
    expect(after.sleeps - before.sleeps).toBeLessThanOrEqual(2);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { until } from "../support/lab.ts";
import { newResults } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const bash = (command: string, timeout_sec?: number) => ({ name: "bash", input: { command, timeout_sec } });

describe("commands that do what they should not", () => {
  it("are bounded and answered, and leave nothing behind", async () => {
    at = await openCase([
      { calls: [bash("head -c 50000000 /dev/zero | tr '\\0' y; echo; echo AT-THE-END")] },
      { calls: [bash("cat; read line; echo got=[$line]")] },
      {
        calls: [bash("sleep 61.41 & sleep 61.42 & nohup setsid sleep 61.43 >/dev/null 2>&1 & echo started")],
      },
      { calls: [bash("trap '' TERM INT HUP; echo stubborn; while true; do sleep 61.44; done", 1)] },
      { text: "ok" },
    ]);
    const started = performance.now();
    expect(await at.ask("go")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(performance.now() - started).toBeLessThan(30_000);
    const results = at.model.requests.slice(1).map((request) => newResults(request)[0]);
    expect(results[0]?.text).toContain("AT-THE-END");
    expect(results[0]?.text.length).toBeLessThan(60_000);
    expect(results[1]?.text).toContain("got=[]");
    expect(results[2]).toMatchObject({ isError: false });
    expect(results[2]?.text).toContain("started");
    expect(results[3]?.isError).toBe(true);
    expect(results[3]?.text).toContain("stubborn");
    expect(results[3]?.text).toMatch(/time|1 s/i);
    await until(
      "no command is left",
      () => !at?.processes().some(({ command }) => command.includes("sleep 61.4")),
    );
    await at.check();
  });
});

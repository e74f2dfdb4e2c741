import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { holdersOf } from "../support/find-bytes.ts";
import { newResults } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const KEY = "sk-ant-e2e-5f0c2d7be81a4";

describe("model keys", () => {
  it("are in no child's environment, log, event, database or request body", async () => {
    const look = "env; tr '\\0' '\\n' < /proc/self/environ; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'";
    at = await openCase([
      { calls: [{ name: "bash", input: { command: look } }] },
      { error: { status: 500, message: `your key ${KEY} was seen by a proxy that repeats it` } },
      { text: "ok" },
    ]);
    const env = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: `${KEY}-other`, MY_TOKEN: `${KEY}-third` };
    const run = await at.ask("go", ["--output-format", "stream-json", "--verbose"], { env });
    expect(run).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(at.model.requests[0]?.headers["x-api-key"]).toBe(KEY);
    expect(newResults(at.model.requests[1])[0]?.text).toContain("LATHE=1");
    for (const request of at.model.requests) expect(request.raw.includes(KEY)).toBe(false);
    expect(run.stdout + run.stderr).not.toContain(KEY);
    const daemon = at.processes().find(({ command }) => / daemon run$/.test(command));
    expect(daemon).toBeDefined();
    expect(readFileSync(`/proc/${daemon?.pid}/environ`, "latin1")).not.toContain(KEY);
    expect(holdersOf(at.home, KEY)).toEqual([]);
    expect(holdersOf(at.tmp, KEY)).toEqual([]);
    await at.run(["daemon", "stop"]);
    expect(holdersOf(at.home, KEY)).toEqual([]);
    expect(readFileSync(join(at.home, ".local/state/lathe/logs/daemon.log"), "utf8")).toContain("stopped");
    await at.check();
  });
});

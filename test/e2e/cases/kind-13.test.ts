import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { writeProjectConfig } from "../../support/config.ts";
import { holdersOf } from "../../support/find-bytes.ts";
import { until } from "../../support/lab.ts";
import { newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe("kind 13: privacy", () => {
  it("H50 does not take a project's .env in", async () => {
    at = await openCase([
      { calls: [{ name: "bash", input: { command: 'echo "[$DEMO_SECRET]"' } }] },
      { text: "ok" },
    ]);
    at.put(
      ".env",
      "DEMO_SECRET=envval-3141\nANTHROPIC_BASE_URL=http://127.0.0.1:9/evil\nNODE_OPTIONS=--require ./evil.js\n",
    );
    at.put("evil.js", "require('fs').writeFileSync(__dirname + '/evil-ran', '')\n");
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(newResults(at.model.requests[1])[0]?.text).toContain("[]");
    for (const request of at.model.requests) expect(request.raw.includes("envval-3141")).toBe(false);
    expect(holdersOf(at.home, "envval-3141")).toEqual([]);
    expect(existsSync(join(at.work, "evil-ran"))).toBe(false);
    await at.check();
  });

  // strace is the witness; without it (or without the right to trace) there is nobody to ask.
  it.skipIf(!has("strace")).each([{}, { DO_NOT_TRACK: "1" }])(
    "H51 connects to nobody but the model (%o)",
    async (env) => {
      at = await openCase([
        { calls: [{ name: "bash", input: { command: "true" } }] },
        { text: "ok" },
        { text: "Hello", cut: { type: "reset", after: 2 } },
        { text: "Hello" },
      ]);
      const traces = [1, 2, 3, 4].map((number) => join(at?.outside ?? "", `trace${number}`));
      const watched = (number: number) => ({
        env,
        wrap: ["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", traces[number] ?? ""],
      });
      const daemon = at.start(["daemon", "run"], watched(0));
      await until("the daemon is up", async () => (await at?.daemonPid()) !== null);
      expect(await at.ask("one", [], watched(1))).toMatchObject({ code: 0 });
      expect(await at.ask("torn", [], watched(2))).toMatchObject({ code: 0 });
      writeProjectConfig(at, "{");
      expect(await at.ask("broken", [], watched(3))).toMatchObject({ code: 52 });
      await at.run(["daemon", "stop", "--force"]);
      await daemon.result;
      const trace = traces.map((path) => readFileSync(path, "utf8")).join("\n");
      // What is refused on loopback is the sandbox's proof that a command cannot get out, in a network of its own.
      const peers = trace
        .split("\n")
        .filter((line) => /AF_INET6?,/.test(line))
        .filter((line) => !/inet_addr\("127\.0\.0\.1"\).*ECONNREFUSED/.test(line))
        .filter((line) => !line.includes(`htons(${at?.model.port}), sin_addr=inet_addr("127.0.0.1")`));
      expect(trace).toContain(`htons(${at.model.port})`);
      expect(peers).toEqual([]);
      await at.check([".lathe", ".lathe/config.json"]);
    },
  );
});

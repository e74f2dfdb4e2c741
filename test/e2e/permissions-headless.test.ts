import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { holdersOf } from "../support/find-bytes.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

it("H29 denies what would be asked when nobody can answer, at once and visibly", async () => {
  at = await openCase([
    { calls: [{ name: "bash", input: { command: "touch q" } }] },
    { calls: [{ name: "write_file", input: { path: "w.txt", content: "w" } }] },
    { text: "gave up" },
  ]);
  mkdirSync(join(at.home, ".config/lathe"), { recursive: true });
  writeFileSync(
    join(at.home, ".config/lathe/config.json"),
    JSON.stringify({ permissions: { ask: ["bash"], deny: ["write"] } }),
  );
  const run = await at.ask("go", [], { stdin: "null" });
  expect(run.ms).toBeLessThan(15_000);
  expect(run.code).toBe(60);
  expect([existsSync(join(at.work, "q")), existsSync(join(at.work, "w.txt"))]).toEqual([false, false]);
  expect(run.json.permission_denials.map((denial) => denial.tool_name)).toEqual(["bash", "write_file"]);
  await at.check();
});

it("passwords in headers and proxies reach their request and no disk", async () => {
  at = await openCase([{ text: "ok" }]);
  const secret = "pw-4c1e99d0ab";
  const env = {
    ANTHROPIC_CUSTOM_HEADERS: `x-team: ${secret}`,
    HTTPS_PROXY: `http://me:${secret}@proxy.test:3128`,
    all_proxy: `me:${secret}@proxy.test:3128`,
    NO_PROXY: "127.0.0.1,localhost",
  };
  const run = await at.ask("go", [], { env });
  expect(run).toMatchObject({ code: 0, json: { result: "ok" } });
  expect(at.model.requests[0]?.headers["x-team"]).toBe(secret);
  expect([...holdersOf(at.home, secret), ...holdersOf(at.tmp, secret)]).toEqual([]);
  await at.run(["daemon", "stop"]);
  expect(holdersOf(at.home, secret)).toEqual([]);
  await at.check();
});

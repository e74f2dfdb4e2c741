import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../../support/case.ts";
import { writeUserConfig } from "../../support/config.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

describe("kind 12: cost and usage", () => {
  it("H48 knows neither a price nor a usage that nobody gave", async () => {
    at = await openCase([
      { text: "one", usage: { input: 11, output: 7 } },
      { text: "two", usage: null },
      { text: "three", usage: { input: null, output: null, startOutput: null } },
    ]);
    const runs = [];
    for (const prompt of ["a", "b", "c"])
      runs.push(await at.ask(prompt, ["--model", "anthropic/zz-unknown-1"]));
    for (const run of runs) {
      expect(run.code).toBe(0);
      expect(run.json.total_cost_usd ?? null).toBeNull();
    }
    expect(runs[0]?.json.usage).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    for (const run of runs.slice(1))
      expect(run?.json.usage).toMatchObject({ input_tokens: null, output_tokens: null });
    await at.check();
  });

  it("H49 sums usage over requests and cache classes", async () => {
    at = await openCase([
      {
        calls: [{ name: "bash", input: { command: "true" } }],
        usage: { input: 10, cacheWrite: 1000, cacheRead: 5000, startOutput: 1, output: 20 },
      },
      { text: "ok", usage: { input: 7, cacheRead: 6000, output: 30 } },
    ]);
    const price = { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 };
    writeUserConfig(at, { models: { models: { "anthropic/claude-sonnet-4-6": { price } } } });
    const run = await at.ask("go");
    expect(run.json.usage).toMatchObject({
      input_tokens: 17,
      cache_creation_input_tokens: 1000,
      cache_read_input_tokens: 11_000,
      output_tokens: 50,
    });
    expect(run.json.total_cost_usd).toBeCloseTo(0.007851, 6);
    await at.check();
  });
});

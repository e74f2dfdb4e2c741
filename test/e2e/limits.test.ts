import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { writeUserConfig } from "../support/config.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

/** A model that never ends by itself, unless it is given no tools to call. */
const endless = (request: { body: unknown }) => {
  const { tool_choice: choice } = request.body as { tool_choice?: { type: string } };
  const usage = { input: 1000, output: 100 };
  if (choice?.type === "none") return { text: "wrapped up", usage };
  return { text: "more", calls: [{ name: "bash", input: { command: "true" } }], usage };
};

describe("limits of a turn", () => {
  it.each([
    { flags: ["--max-turns", "3"], code: 53, subtype: "error_max_turns", requests: 3, result: /limit of 3/ },
    {
      flags: ["--max-tool-calls", "2"],
      code: 53,
      subtype: "error_max_turns",
      requests: 3,
      result: /wrapped up/,
    },
    {
      flags: ["--max-tokens", "2500"],
      code: 61,
      subtype: "error_max_budget_usd",
      requests: 4,
      result: /wrapped up/,
    },
    {
      flags: ["--max-budget-usd", "0.009"],
      code: 61,
      subtype: "error_max_budget_usd",
      requests: 3,
      result: /wrapped up/,
    },
  ])("$flags ends it with exit $code", async ({ flags, code, subtype, requests, result }) => {
    at = await openCase(endless);
    const price = { input: 3, output: 15 };
    writeUserConfig(at, { models: { models: { "anthropic/claude-sonnet-4-6": { price } } } });
    const run = await at.ask("go", flags);
    expect(run).toMatchObject({ code, json: { subtype, is_error: true, outcome: "limit" } });
    expect(at.model.requests).toHaveLength(requests);
    expect(run.json.result).toMatch(result);
    await at.check();
  });

  it("--max-seconds ends it with exit 53, and the command that runs", async () => {
    at = await openCase((request, index) =>
      index === 0 ? { calls: [{ name: "bash", input: { command: "sleep 2" } }] } : endless(request),
    );
    const run = await at.ask("go", ["--max-seconds", "1.5"], { timeoutMs: 20_000 });
    expect(run).toMatchObject({ code: 53, json: { subtype: "error_max_turns", outcome: "limit" } });
    expect(run.json.result).toBe("wrapped up");
    await at.check();
  });
});

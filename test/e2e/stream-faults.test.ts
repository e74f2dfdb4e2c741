import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Case, openCase } from "../support/case.ts";
import { newResults } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const WIRES = ["anthropic", "openai-chat", "openai-responses"] as const;
const half = { calls: [{ name: "bash", input: { command: "echo half > half.txt" } }] };

describe.each(WIRES)("faults of a model's stream (%s)", (wire) => {
  it.each(["reset", "clean"] as const)(
    "asks again after a %s end in mid-text, and gives the text once",
    async (type) => {
      at = await openCase([{ text: "Hello there", cut: { type, after: 6 } }, { text: "Hello there" }], {
        wire,
      });
      expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "Hello there" } });
      expect(at.model.requests).toHaveLength(2);
      await at.check();
    },
  );

  it.each(["reset", "clean"] as const)("runs no call of which a %s end left a half", async (type) => {
    at = await openCase([{ ...half, cut: { type, after: 20 } }, { text: "ok" }], { wire });
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(existsSync(join(at.work, "half.txt"))).toBe(false);
    await at.check();
  });

  it("answers broken arguments and an unknown tool with errors, and goes on", async () => {
    at = await openCase(
      [
        {
          calls: [
            { name: "bash", raw: '{"command": "echo broken > broken.txt"' },
            { name: "no_such_tool", input: { a: 1 } },
          ],
        },
        { text: "ok" },
      ],
      { wire },
    );
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(existsSync(join(at.work, "broken.txt"))).toBe(false);
    const [broken, unknown] = newResults(at.model.requests[1]);
    expect(broken?.text).toMatch(/JSON/);
    expect(unknown?.text).toMatch(/no_such_tool/);
    expect(unknown?.text).toMatch(/read_file/);
    await at.check();
  });

  it("asks again after an empty reply", async () => {
    at = await openCase([{ content: [] }, { text: "ok" }], { wire });
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    await at.check();
  });

  it("ends with what a refusal is", async () => {
    at = await openCase([{ content: [], stop: "refusal" }], { wire });
    const run = await at.ask("x");
    expect(run).toMatchObject({ code: 63, json: { is_error: true } });
    await at.check();
  });
});

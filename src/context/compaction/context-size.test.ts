import { expect, test } from "vitest";
import type { Usage } from "../../protocol/message.ts";
import { estimateTokens } from "../estimate.ts";
import { contextReport } from "./context-report.ts";
import { contextBudget, contextSize, outputLimit, surelyWithin } from "./context-size.ts";
import { shownHistory } from "./shown-history.ts";
import { MODEL, PREFIX, startTalk } from "./testing/talk.ts";

const usage = (tokens: Partial<Usage>): Usage => {
  return { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null, ...tokens };
};
const sizeOf = (talk: ReturnType<typeof startTalk>, model = MODEL.id) =>
  contextSize(shownHistory(talk.chain), PREFIX, model);

test("the budget is a share of the window with room for answer and summary; 50,000 where the window is unknown", () => {
  expect(contextBudget({ contextWindow: null, maxOutput: 4096 }, 0.8)).toBe(50_000);
  expect(contextBudget({ contextWindow: 1_000_000, maxOutput: 64_000 }, 0.8)).toBe(800_000);
  expect(contextBudget({ contextWindow: 1_000_000, maxOutput: 64_000 }, 0.5)).toBe(500_000);
  expect(contextBudget({ contextWindow: 200_000, maxOutput: 64_000 }, 0.8)).toBe(134_000);
  expect(contextBudget({ contextWindow: 8000, maxOutput: 8000 }, 0.8)).toBe(4000);
});

test("an answer never takes more than half of the window", () => {
  expect(outputLimit({ contextWindow: 8000, maxOutput: 8000 })).toBe(4000);
  expect(outputLimit({ contextWindow: 200_000, maxOutput: 64_000 })).toBe(64_000);
  expect(outputLimit({ contextWindow: null, maxOutput: 4096 })).toBe(4096);
});

test("the size is what the model reported of its last request, and an estimate of what came since", () => {
  const talk = startTalk();
  talk.prompt("word ".repeat(100));
  expect(sizeOf(talk).tokens).toBe(sizeOf(talk).estimate);
  talk.step("x", ["word ".repeat(1000)], usage({ input: 10, cacheRead: 40_000, cacheWrite: 500, output: 7 }));
  const { tokens, estimate } = sizeOf(talk);
  expect(tokens).toBeGreaterThan(40_517 + 900);
  expect(tokens).toBeLessThan(40_517 + 1200);
  expect(estimate).toBeLessThan(2000);
});

test("a usage counts no more after a cut, of another model, or when the model said nothing", () => {
  const talk = startTalk();
  talk.prompt("p");
  for (let step = 0; step < 5; step++)
    talk.step("x", ["long ".repeat(100)], usage({ input: 90_000, output: 1 }));
  expect(sizeOf(talk).tokens).toBeGreaterThan(90_000);
  expect(sizeOf(talk, "other/model").tokens).toBeLessThan(2000);
  talk.trim();
  expect(sizeOf(talk).tokens).toBeLessThan(2000);
  talk.step("y", ["1"], usage({ input: 30_000, output: 1 }));
  expect(sizeOf(talk).tokens).toBeGreaterThan(30_000);
  talk.step("z", ["1"], usage({ output: 5 }));
  expect(sizeOf(talk).tokens).toBeLessThan(2000);
});

test("a quick look never passes what is past the budget, and passes most of what is not", () => {
  const talk = startTalk();
  talk.prompt("word ".repeat(100));
  for (let step = 0; step < 30; step++) {
    talk.step(
      "日本語のテキスト".repeat(20),
      ["{}[]()!?".repeat(50)],
      step % 4 ? undefined : usage({ input: 5000 * step, output: 1 }),
    );
    const shown = shownHistory(talk.chain);
    const { tokens } = sizeOf(talk);
    expect(surelyWithin(shown, PREFIX, MODEL.id, tokens - 1)).toBe(false);
    expect(surelyWithin(shown, PREFIX, MODEL.id, tokens * 3)).toBe(true);
    if (step === 20) talk.trim();
  }
});

test("long texts are estimated by samples", () => {
  const talk = startTalk();
  const long = "const value = compute(index + 1, 'thing');\n".repeat(2000);
  talk.prompt(long);
  expect(sizeOf(talk).estimate / estimateTokens(long)).toBeGreaterThan(0.97);
  expect(sizeOf(talk).estimate / estimateTokens(long)).toBeLessThan(1.03);
});

test("the report tells each part, and their sum is the estimate", () => {
  const talk = startTalk();
  talk.prompt("please do");
  for (let step = 0; step < 4; step++) talk.step("doing", ["result ".repeat(50)]);
  talk.compact(5);
  const system = "You are.\n\n# Project Context\nInstructions of the user.\n\n## AGENTS.md\nnever do that";
  const prefix = {
    system,
    tools: [{ name: "bash", description: "runs", inputSchema: { type: "object" as const, properties: {} } }],
  };
  const report = contextReport({ chain: talk.chain, prefix, model: MODEL, compactAt: 0.8 });
  expect(report).toMatchObject({ model: MODEL.id, window: 64_000, compactsAt: 51_200, measured: false });
  expect(report.parts.map((part) => part.name).sort()).toEqual([
    "calls",
    "instructions",
    "replies",
    "results",
    "summary",
    "system",
    "tools",
  ]);
  const sum = report.parts.reduce((total, part) => total + part.tokens, 0);
  expect(Math.abs(sum - report.used)).toBeLessThan(10);
});

import { expect, test } from "vitest";
import type { Limits } from "../protocol/session.ts";
import { TestEngine } from "./testing/engine.ts";
import { call, limited, RATE, text, UNKNOWN_USAGE } from "./testing/values.ts";

function toolStep(engine: TestEngine, id: string, words = "working"): void {
  engine.reply([text(words), call(id)]);
  engine.runAll();
  engine.finish(id);
}

const requests = (engine: TestEngine) => engine.effects("call_model");

test("the number of steps is a hard bound on requests: no wrap-up, and the text says so", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxSteps: 2 }));
  toolStep(engine, "a", "first");
  toolStep(engine, "b", "second");
  expect(requests(engine)).toHaveLength(2);
  expect(engine.all.facts).toContainEqual({
    type: "limit_reached",
    limit: "steps",
    message: "reached the limit of 2 steps",
  });
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({
      outcome: { type: "limit", limit: "steps" },
      text: "second\n(reached the limit of 2 steps)",
      toolCalls: 2,
    }),
  ]);
  expect(engine.messages().at(-1)?.kind).toBe("tool_results");
});

test("a turn that finishes by itself at the limit is done", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxSteps: 1, maxTokens: 1, maxCostUsd: 0.1 }));
  engine.reply([text("answer")]);
  expect(engine.turnsFinished()[0]).toMatchObject({ outcome: { type: "done" }, text: "answer" });
});

const spent: [string, Partial<Limits>][] = [
  ["tool_calls", { maxToolCalls: 2 }],
  ["tokens", { maxTokens: 15 }],
  ["cost", { maxCostUsd: 0.5 }],
  ["time", { maxSeconds: 10 }],
];
test.each(spent)(
  "a limit of %s: the batch is finished, then one wrap-up call, then the end",
  (limit, limits) => {
    const engine = new TestEngine();
    engine.prompt("work", limited(limits));
    engine.now += 10_000;
    engine.reply([call("a"), call("b"), call("c")]);
    engine.runAll();
    for (const id of ["a", "b", "c"]) engine.finish(id);
    expect(engine.state.phase).toMatchObject({ type: "wrapping_up", limit });
    expect(requests(engine).at(-1)).toMatchObject({ purpose: "wrap_up", limit });
    expect(engine.all.facts.filter((fact) => fact.type === "limit_reached")).toEqual([
      expect.objectContaining({ limit, message: expect.stringContaining("reached the limit of") }),
    ]);
    engine.reply([text("so far"), call("late")]);
    expect(engine.messages().at(-1)?.content).toEqual([
      expect.objectContaining({ callId: "late", status: "error" }),
    ]);
    expect(engine.turnsFinished()).toEqual([
      expect.objectContaining({ outcome: { type: "limit", limit }, text: "so far", steps: 2 }),
    ]);
    expect(engine.effects("prepare_tools")).toHaveLength(1);
  },
);

test.each([
  { maxSteps: 0 },
  { maxToolCalls: 0 },
  { maxTokens: 0 },
  { maxCostUsd: 0 },
  { maxSeconds: 0 },
] as Partial<Limits>[])("without headroom no request is sent: %o", (limits) => {
  const engine = new TestEngine();
  engine.prompt("work", limited(limits));
  expect(requests(engine)).toEqual([]);
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ outcome: expect.objectContaining({ type: "limit" }) }),
  ]);
  expect(engine.state.phase.type).toBe("idle");
});

test("a steering prompt that waits when the limit is spent is not swallowed: it starts the next turn", () => {
  for (const limits of [{ maxSteps: 1 }, { maxTokens: 1 }]) {
    const engine = new TestEngine();
    engine.prompt("work", limited(limits));
    engine.reply([call("a")]);
    engine.runAll();
    engine.prompt("look here");
    engine.finish("a");
    if (engine.state.phase.type === "wrapping_up") engine.reply([text("so far")]);
    expect(engine.turnsFinished()).toHaveLength(1);
    expect(engine.state.phase.type).toBe("calling_model");
    expect(engine.messages().at(-1)).toMatchObject({ content: [text("look here")] });
  }
});

test("a failing wrap-up is tried a few times; the turn still ends at its limit", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxToolCalls: 1 }));
  toolStep(engine, "a");
  for (let attempt = 1; attempt < 3; attempt++) {
    engine.fail(RATE);
    expect(engine.state.phase).toMatchObject({ type: "waiting_retry", wrappingUp: true });
    engine.timer();
    expect(requests(engine).at(-1)).toMatchObject({ purpose: "wrap_up", limit: "tool_calls" });
  }
  engine.fail(RATE);
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ outcome: { type: "limit", limit: "tool_calls" }, text: "working" }),
  ]);
});

test("a wrap-up that was parked for a key stays a wrap-up", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxToolCalls: 1 }));
  toolStep(engine, "a");
  engine.send({ type: "model_unreachable", effectId: engine.effectId(), missing: "KEY" });
  engine.send({ type: "client_arrived" });
  expect(engine.state.phase).toMatchObject({ type: "wrapping_up", limit: "tool_calls" });
});

test("a wait that would outlast the turn's time ends the turn at once, with the text that had arrived", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxSeconds: 30 }));
  engine.fail(RATE, { retryAfterMs: 60_000, partial: [{ type: "text", text: "half" }] });
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ outcome: { type: "limit", limit: "time" }, text: "half" }),
  ]);
  expect(engine.all.facts.find((fact) => fact.type === "limit_reached")).toMatchObject({
    message: expect.stringContaining("slow down"),
  });
});

test("a timer that fires after the turn's time asks no more", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxSeconds: 30 }));
  engine.fail(RATE);
  engine.now += 40_000;
  engine.timer();
  expect(requests(engine)).toHaveLength(1);
  expect(engine.turnsFinished()[0]).toMatchObject({ outcome: { type: "limit", limit: "time" } });
});

test("a cost limit that cannot be kept says so once", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxCostUsd: 5 }));
  engine.reply([text("a")], "pause_turn", UNKNOWN_USAGE);
  engine.reply([text("b")], "pause_turn", UNKNOWN_USAGE);
  expect(engine.all.facts.filter((fact) => fact.type === "notice")).toEqual([
    expect.objectContaining({ level: "warning", code: "cost_unknown" }),
  ]);
});

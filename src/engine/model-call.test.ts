import { expect, test } from "vitest";
import { TestEngine } from "./testing/engine.ts";
import { ask, call, RATE, text, USAGE } from "./testing/values.ts";

function started(): TestEngine {
  const engine = new TestEngine();
  engine.prompt("work");
  return engine;
}

const outcome = (engine: TestEngine) => engine.turnsFinished().at(-1)?.outcome;

test("a reply with text and calls is stored whole, and the batch is prepared", () => {
  const engine = started();
  const thinking = { type: "thinking" as const, text: "hm", source: "test/model", data: { signature: "s" } };
  const broken = { ...call("b"), input: {}, invalid: { raw: "{", reason: "cut" } };
  const content = [thinking, text("two things"), call("a"), broken];
  const step = engine.reply(content);
  expect(engine.messages().at(-1)).toMatchObject({ kind: "reply", content, stopReason: "tool_use" });
  expect(step.state.calls).toEqual([
    { id: "a", name: "bash", input: { command: "a" }, status: "preparing" },
    { id: "b", name: "bash", input: {}, status: "preparing", invalid: { raw: "{", reason: "cut" } },
  ]);
  expect(step.effects).toEqual([
    {
      type: "prepare_tools",
      effectId: engine.effectId(),
      runId: "p1",
      calls: [call("a"), broken],
      interactive: true,
    },
  ]);
  expect(step.facts.at(-1)).toEqual({
    type: "phase_changed",
    phase: "preparing_tools",
    step: 1,
    effectId: engine.effectId(),
  });
});

test("arguments that were no object never run, whatever is decided about them", () => {
  for (const decision of [{ ...ask("b") }, { callId: "b", type: "run" as const, audit: ask("b").audit }]) {
    const engine = started();
    engine.reply([{ ...call("b"), invalid: { raw: "{", reason: "cut" } }], "max_tokens");
    engine.prepared([decision]);
    expect(engine.effects("run_tool")).toEqual([]);
    expect(engine.messages().at(-1)?.content).toEqual([
      expect.objectContaining({ callId: "b", status: "error" }),
    ]);
  }
});

test("a late or foreign effect id changes nothing", () => {
  const engine = started();
  const before = engine.state;
  const late = { effectId: "old", usage: USAGE, model: "m" };
  engine.send({ ...late, type: "model_finished", content: [text("x")], stopReason: "end_turn" });
  engine.send({
    ...late,
    type: "model_failed",
    error: RATE,
    retryable: true,
    retryAfterMs: null,
    partial: [],
  });
  engine.send({ ...late, type: "compaction_finished", summary: null, estimate: 0, warning: null });
  engine.send({ type: "model_unreachable", effectId: "old", missing: "K" });
  engine.send({ type: "tools_prepared", effectId: engine.effectId(), calls: [] });
  engine.send({ type: "timer_fired", effectId: engine.effectId() });
  engine.send({ type: "client_arrived" });
  expect(engine.state).toBe(before);
});

test("a refusal without words is answered in the history, so that the next prompt does not stand alone", () => {
  const engine = started();
  engine.reply([], "refusal");
  expect(engine.messages().at(-1)).toMatchObject({
    role: "assistant",
    origin: "harness",
    content: [text("[The model refused to answer.]")],
    stopReason: "refusal",
  });
  expect(outcome(engine)).toEqual({ type: "refused", message: "the model refused to answer" });
  expect(engine.state.head).toBe(engine.messages().at(-1)?.id);
});

test("calls of a refused or overflown reply are answered, not run", () => {
  for (const reason of ["refusal", "context_exceeded"] as const) {
    const engine = started();
    engine.reply([text("no"), call("a")], reason);
    expect(engine.effects("prepare_tools")).toEqual([]);
    expect(engine.messages().find((message) => message.kind === "tool_results")).toMatchObject({
      content: [{ callId: "a", status: "error" }],
    });
    expect(engine.state.phase.type).toBe(reason === "refusal" ? "idle" : "compacting");
  }
});

test("a paused reply is followed by the same conversation; steering waits until the answer is whole", () => {
  const engine = started();
  engine.prompt("steer");
  engine.reply([text("part1 ")], "pause_turn");
  expect(engine.messages().map((message) => message.kind)).toEqual(["prompt", "reply"]);
  expect(engine.effects("call_model").at(-1)?.head).toBe(engine.messages().at(-1)?.id);
  engine.reply([text("part2")]);
  expect(engine.messages().at(-1)?.content).toEqual([text("steer")]);
  engine.reply([text("ok")]);
  expect(engine.turnsFinished()).toEqual([expect.objectContaining({ text: "ok", steps: 3 })]);
});

test("the parts of a paused answer are one text; endless pauses end", () => {
  const engine = started();
  engine.reply([text("part1 ")], "pause_turn");
  engine.reply([text("part2")]);
  expect(engine.turnsFinished()[0]).toMatchObject({ text: "part1 part2", outcome: { type: "done" } });
  engine.prompt("again");
  for (let index = 0; engine.state.phase.type !== "idle" && index < 1000; index++) {
    engine.reply([text(".")], "pause_turn");
  }
  expect(outcome(engine)).toEqual({ type: "cut", message: "the model paused its answer 51 times" });
});

test("an answer cut by the output limit goes on after a reminder, three times in a row", () => {
  const engine = started();
  engine.reply([text("one ")], "max_tokens");
  expect(engine.messages().at(-1)).toMatchObject({
    role: "user",
    kind: "prompt",
    origin: "harness",
    content: [{ type: "reminder", text: expect.stringContaining("cut by the output limit") }],
  });
  engine.reply([{ type: "thinking", text: "only thought", source: "test/model" }], "max_tokens");
  engine.reply([text("two ")], "max_tokens");
  engine.reply([text("three")], "max_tokens");
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ outcome: { type: "cut", message: expect.any(String) }, text: "one two three" }),
  ]);
});

test("a whole answer or a call between the cuts starts the count anew", () => {
  const engine = started();
  for (let index = 0; index < 6; index++) {
    engine.reply([text("cut")], "max_tokens");
    engine.reply([call(`a${index}`)], "max_tokens");
    engine.runAll();
    engine.finish(`a${index}`);
  }
  expect(engine.turnsFinished()).toEqual([]);
  expect(engine.state.turn).toMatchObject({ cuts: 0, toolCalls: 6 });
});

test("an empty answer: once more as it was, then with a reminder, then it is a failure", () => {
  const engine = started();
  engine.reply([]);
  expect(engine.messages()).toHaveLength(1);
  expect(engine.effects("call_model")).toHaveLength(2);
  engine.reply([text("  \n")]);
  expect(engine.messages().at(-1)).toMatchObject({ origin: "harness", content: [{ type: "reminder" }] });
  engine.reply([{ type: "thinking", text: "hm", source: "test/model" }], "tool_use");
  expect(outcome(engine)).toEqual({
    type: "failed",
    error: { kind: "server", message: "the model answered nothing (asked 3 times)" },
  });
});

test("an answer after an empty one ends well", () => {
  const engine = started();
  engine.reply([]);
  engine.reply([text("here")]);
  expect(outcome(engine)).toEqual({ type: "done" });
});

test("a retryable failure waits, says so, and calls again with the same head", () => {
  const engine = started();
  const step = engine.fail(RATE, { retryAfterMs: 3000, partial: [{ type: "text", text: "Hel" }] });
  const effectId = engine.effectId();
  const at = engine.now + 3000;
  expect(step.facts).toEqual([
    { type: "phase_changed", phase: "waiting_retry", step: 1, effectId },
    { type: "retry_scheduled", attempt: 1, at, error: RATE },
  ]);
  expect(step.effects).toEqual([{ type: "start_timer", effectId, at }]);
  engine.timer();
  expect(engine.state.phase).toMatchObject({ type: "calling_model", attempt: 2 });
  const [first, second] = engine.effects("call_model");
  expect({ ...second, effectId: "" }).toEqual({ ...first, effectId: "" });
  engine.reply([text("Hello")]);
  expect(engine.turnsFinished()[0]).toMatchObject({ text: "Hello", outcome: { type: "done" }, steps: 1 });
});

test("gaps grow after the one that the provider asked for", () => {
  for (const random of [0, 0.5, 0.999]) {
    const engine = started();
    engine.random = random;
    const gaps: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      engine.fail(RATE, { retryAfterMs: attempt === 1 ? 3000 : null });
      gaps.push((engine.state.phase as { until: number }).until - engine.now);
      engine.now = (engine.state.phase as { until: number }).until;
      engine.timer();
    }
    expect(gaps[0]).toBeGreaterThanOrEqual(3000);
    expect(gaps[0]).toBeLessThanOrEqual(3750);
    for (let index = 1; index < 6; index++) expect(gaps[index]).toBeGreaterThan(gaps[index - 1]!);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(gaps.every(Number.isInteger)).toBe(true);
  }
});

test.each([
  ["network", 10],
  ["overloaded", 10],
  ["timeout", 3],
] as const)("%s: %i attempts at most, then the failure with its error", (kind, attempts) => {
  const engine = started();
  for (let attempt = 1; attempt < attempts; attempt++) {
    engine.fail({ kind, message: "broken" });
    engine.timer();
  }
  engine.fail({ kind, message: "broken" });
  expect(engine.effects("call_model")).toHaveLength(attempts);
  expect(outcome(engine)).toEqual({ type: "failed", error: { kind, message: "broken" } });
});

test("text of the last of many cut streams is kept, and the outcome is cut", () => {
  const engine = started();
  const partial = [text("half an ans")] as { type: "text"; text: string }[];
  for (let attempt = 1; attempt <= 5; attempt++) {
    if (attempt > 1) engine.timer();
    engine.fail({ kind: "network", message: "reset" }, { partial, usage: USAGE });
  }
  expect(engine.messages().at(-1)).toMatchObject({ kind: "reply", content: partial, stopReason: "error" });
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ outcome: { type: "cut", message: "reset" }, text: "half an ans", steps: 0 }),
  ]);
  expect(engine.state.usage).toMatchObject({ input: 50, cost: 2.5 });
});

test("a failure that is not retryable ends the turn; unknown usage leaves the cost known", () => {
  const engine = started();
  const error = { kind: "authentication" as const, message: "authentication failed", status: 401 };
  engine.fail(error, { retryable: false });
  expect(outcome(engine)).toEqual({ type: "failed", error });
  expect(engine.state.usage.cost).toBe(0);
  expect(engine.all.facts.some((fact) => fact.type === "usage_added")).toBe(false);
});

test("without a key the turn parks and goes on when a client or another model comes", () => {
  const engine = started();
  engine.send({ type: "model_unreachable", effectId: engine.effectId(), missing: "KEY" });
  expect(engine.state.phase).toEqual({ type: "needs_client", missing: "KEY" });
  engine.send({ type: "client_arrived" });
  expect(engine.state.phase).toMatchObject({ type: "calling_model", attempt: 1 });
  engine.send({ type: "model_unreachable", effectId: engine.effectId(), missing: "KEY" });
  engine.send({ type: "settings_changed", commandId: "m", model: "local/model" });
  expect(engine.effects("call_model").at(-1)).toMatchObject({ model: "local/model" });
});

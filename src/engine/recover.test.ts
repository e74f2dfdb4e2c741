import { expect, test } from "vitest";
import type { Message } from "../protocol/message.ts";
import { TestEngine } from "./testing/engine.ts";
import { approval, ask, call, limited, RATE, run, text, UNKNOWN_USAGE, USAGE } from "./testing/values.ts";

function started(): TestEngine {
  const engine = new TestEngine();
  engine.prompt("work");
  return engine;
}

test("idle and parked sessions stay as they are", () => {
  const engine = new TestEngine();
  expect(engine.restart()).toMatchObject({ facts: [], effects: [] });
  engine.prompt("work");
  engine.send({ type: "model_unreachable", effectId: engine.effectId(), missing: "K" });
  expect(engine.restart()).toMatchObject({
    facts: [],
    effects: [],
    state: { phase: { type: "needs_client" } },
  });
});

test("a model call is issued anew, with its count of attempts; the old answer is late", () => {
  const engine = started();
  engine.fail(RATE);
  engine.timer();
  const old = engine.effectId();
  const step = engine.restart();
  expect(engine.effectId()).not.toBe(old);
  expect(step.state.phase).toMatchObject({ type: "calling_model", attempt: 2, waitedMs: 1000 });
  expect(step.effects).toMatchObject([{ type: "call_model", effectId: engine.effectId(), purpose: "step" }]);
});

test("a wrap-up stays one", () => {
  const engine = new TestEngine();
  engine.prompt("work", limited({ maxTokens: 1 }));
  engine.reply([call("a")]);
  engine.runAll();
  engine.finish("a");
  expect(engine.restart().effects).toMatchObject([
    { type: "call_model", purpose: "wrap_up", limit: "tokens" },
  ]);
});

test("a wait goes on until the same time", () => {
  const engine = started();
  engine.fail(RATE, { retryAfterMs: 9000 });
  const until = engine.now + 9000;
  engine.now += 4000;
  const step = engine.restart();
  expect(step.effects).toEqual([{ type: "start_timer", effectId: engine.effectId(), at: until }]);
  engine.timer();
  expect(engine.state.phase).toMatchObject({ type: "calling_model", attempt: 2 });
});

test("calls that were being prepared are prepared anew, broken arguments still marked", () => {
  const engine = started();
  const broken = { ...call("b"), invalid: { raw: "{", reason: "cut" } };
  engine.reply([call("a"), broken]);
  expect(engine.restart().effects).toMatchObject([
    { type: "prepare_tools", effectId: engine.effectId(), calls: [call("a"), broken] },
  ]);
});

test("what ran is answered as unknown and not run again; a question about a call that did not run stays open", () => {
  const engine = started();
  engine.reply([call("a"), call("b"), call("c"), call("d")]);
  engine.prepared([run("a"), run("b"), ask("c"), run("d")]);
  engine.finish("a");
  const asked = engine.effectOf("d");
  engine.send({ type: "tool_asks", callId: "d", effectId: asked, approval: approval("d", "q") });
  const step = engine.restart();
  expect(step.effects).toEqual([]);
  expect(step.state.approvals).toEqual([approval("c")]);
  expect(step.state.calls).toMatchObject([
    { id: "a", status: "done", result: { status: "ok" } },
    { id: "b", status: "done", result: { status: "unknown" } },
    { id: "c", status: "awaiting_approval" },
    { id: "d", status: "done", result: { status: "unknown" } },
  ]);
  expect(engine.restart()).toMatchObject({ facts: [], effects: [] });
  engine.answer(approval("c"), { type: "allow", scope: "once" });
  engine.finish("c");
  expect(engine.messages().at(-1)?.content).toMatchObject(
    ["ok", "unknown", "ok", "unknown"].map((status) => ({ status })),
  );
  expect(engine.effects("run_tool").map((effect) => effect.call.id)).toEqual(["a", "b", "d", "c"]);
});

test("when all ran, the turn goes on with the unknown results", () => {
  const engine = started();
  engine.reply([call("a")]);
  engine.runAll();
  expect(engine.restart().effects).toMatchObject([{ type: "call_model", purpose: "step" }]);
  expect(engine.messages().at(-1)).toMatchObject({ kind: "tool_results", content: [{ status: "unknown" }] });
});

test("an interrupt that was under way is finished", () => {
  const engine = started();
  engine.reply([call("a")]);
  engine.runAll();
  engine.interrupt();
  engine.restart();
  expect(engine.messages().at(-1)?.content).toMatchObject([{ callId: "a", status: "unknown" }]);
  expect(engine.turnsFinished()).toMatchObject([{ outcome: { type: "interrupted", by: "user" } }]);
  const calling = started();
  calling.interrupt();
  calling.prompt("go on");
  calling.restart();
  expect(calling.turnsFinished()).toHaveLength(1);
  expect(calling.state.phase.type).toBe("calling_model");
});

const SUMMARY: Message = {
  id: "sum",
  sessionId: "s1",
  parentId: null,
  runId: null,
  role: "user",
  kind: "summary",
  origin: "harness",
  content: [text("so far")],
  createdAt: 1,
};

test("compaction: issued anew after a restart with its focus, moves the head, and lets waiting prompts begin", () => {
  const engine = started();
  engine.reply([text("hi")]);
  engine.send({ type: "compact_requested", commandId: "x", focus: "tests" });
  engine.prompt("next");
  expect(engine.restart().effects).toMatchObject([
    { type: "compact", focus: "tests", effectId: engine.effectId() },
  ]);
  const step = engine.send({
    type: "compaction_finished",
    effectId: engine.effectId(),
    summary: SUMMARY,
    estimate: 9,
    usage: USAGE,
    model: "test/model",
    warning: null,
  });
  expect(step.facts).toContainEqual({
    type: "usage_added",
    model: "test/model",
    purpose: "compaction",
    usage: USAGE,
  });
  expect(engine.messages().at(-2)).toEqual(SUMMARY);
  expect(engine.messages().at(-1)).toMatchObject({ parentId: "sum", content: [text("next")] });
  expect(engine.state.phase.type).toBe("calling_model");
});

test("compaction without a summary keeps the head and says why", () => {
  for (const warning of ["cannot", null]) {
    const engine = started();
    engine.reply([text("hi")]);
    const { head } = engine.state;
    engine.send({ type: "compact_requested", commandId: "x", focus: null });
    const done = { effectId: engine.effectId(), summary: null, usage: UNKNOWN_USAGE, model: "m", warning };
    const step = engine.send({ type: "compaction_finished", estimate: 9, ...done });
    expect(step.state).toMatchObject({ head, phase: { type: "idle" } });
    expect(step.facts[0]).toMatchObject({ type: "notice", level: "warning", code: "compact" });
  }
});

test("nothing to compact is said", () => {
  const engine = new TestEngine();
  expect(engine.send({ type: "compact_requested", commandId: "x", focus: null }).facts).toEqual([
    { type: "notice", level: "info", code: "compact", text: "There is nothing to compact yet." },
  ]);
});

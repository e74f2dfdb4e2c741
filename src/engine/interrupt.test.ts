import { expect, test } from "vitest";
import { TestEngine } from "./testing/engine.ts";
import { approval, ask, call, okResult, RATE, run, text } from "./testing/values.ts";

function started(): TestEngine {
  const engine = new TestEngine();
  engine.prompt("work");
  return engine;
}

function withCalls(...ids: string[]): TestEngine {
  const engine = started();
  engine.reply([text("go"), ...ids.map((id) => call(id))]);
  return engine;
}

const ended = (by = "user") => [expect.objectContaining({ outcome: { type: "interrupted", by } })];
const lastResults = (engine: TestEngine) =>
  engine.messages().findLast((message) => message.kind === "tool_results")?.content;

test("idle: nothing happens", () => {
  const engine = new TestEngine();
  const before = engine.state;
  expect(engine.interrupt()).toEqual({ state: before, facts: [], effects: [] });
});

test("in a model call: it is cancelled, and its last words are kept", () => {
  const engine = started();
  const effectId = engine.effectId();
  expect(engine.interrupt("terminated").effects).toEqual([{ type: "cancel", effectIds: [effectId] }]);
  expect(engine.turnsFinished()).toEqual([]);
  engine.fail(RATE, { retryable: false, partial: [{ type: "text", text: "half" }] });
  expect(engine.messages().at(-1)).toMatchObject({ content: [text("half")], stopReason: "interrupted" });
  expect(engine.turnsFinished()).toEqual([
    expect.objectContaining({ text: "half", outcome: { type: "interrupted", by: "terminated" } }),
  ]);
  expect(engine.state).toMatchObject({ phase: { type: "idle" }, interrupting: null });
});

test("a reply that came whole just before is kept, its calls are answered", () => {
  const engine = started();
  engine.interrupt();
  engine.reply([text("go"), call("a")]);
  expect(lastResults(engine)).toEqual([
    {
      type: "tool_result",
      callId: "a",
      status: "interrupted",
      content: [text("Interrupted by the user before it ran.")],
    },
  ]);
  expect(engine.turnsFinished()).toEqual(ended());
  expect(engine.effects("prepare_tools")).toEqual([]);
});

test("a second interrupt in a model call waits for nothing; the late answer is dropped", () => {
  const engine = started();
  const effectId = engine.effectId();
  engine.interrupt();
  engine.interrupt("shutdown");
  expect(engine.turnsFinished()).toEqual(ended());
  const before = engine.state;
  engine.send({
    type: "model_finished",
    effectId,
    content: [text("late")],
    stopReason: "end_turn",
    usage: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cost: 1 },
    model: "m",
  });
  expect(engine.state).toBe(before);
});

test("preparing: the calls are answered and the turn ends at once", () => {
  const engine = withCalls("a", "b");
  const effectId = engine.effectId();
  const step = engine.interrupt("client_gone");
  expect(step.effects).toEqual([
    { type: "cancel", effectIds: [effectId] },
    { type: "release_run", runId: "p1" },
  ]);
  expect(lastResults(engine)).toMatchObject([
    {
      callId: "a",
      status: "interrupted",
      content: [text("Interrupted because the client went away before it ran.")],
    },
    { callId: "b", status: "interrupted" },
  ]);
  expect(engine.turnsFinished()).toEqual(ended("client_gone"));
});

test("waiting for a retry, a key or a summary: the turn ends at once", () => {
  const waiting = started();
  waiting.fail(RATE);
  const timer = waiting.effectId();
  expect(waiting.interrupt().effects[0]).toEqual({ type: "cancel", effectIds: [timer] });
  expect(waiting.turnsFinished()).toEqual(ended());
  const parked = started();
  parked.send({ type: "model_unreachable", effectId: parked.effectId(), missing: "K" });
  parked.interrupt();
  expect(parked.turnsFinished()).toEqual(ended());
  const compacting = started();
  compacting.reply([text("hi")]);
  compacting.send({ type: "compact_requested", commandId: "x", focus: null });
  const summary = compacting.effectId();
  expect(compacting.interrupt().effects).toEqual([{ type: "cancel", effectIds: [summary] }]);
  expect(compacting.state.phase.type).toBe("idle");
});

test("running: what runs is cancelled and answers itself, what waits is answered, questions are closed", () => {
  const engine = withCalls("a", "b", "c", "d");
  engine.prepared([run("a"), ask("b"), run("c"), run("d")]);
  engine.finish("d");
  const asked = engine.effectOf("c");
  engine.send({ type: "tool_asks", callId: "c", effectId: asked, approval: approval("c", "q") });
  const step = engine.interrupt();
  expect(step.effects).toEqual([{ type: "cancel", effectIds: [engine.effectOf("a"), asked] }]);
  expect(
    step.facts.flatMap((fact) =>
      fact.type === "approval_resolved" ? [[fact.approval.id, fact.approval.status]] : [],
    ),
  ).toEqual([
    ["ap-b", "cancelled"],
    ["q", "cancelled"],
  ]);
  expect(engine.state.calls.map(({ status }) => status)).toEqual(["running", "done", "running", "done"]);
  const before = engine.state;
  engine.answer(approval("b"), { type: "allow", scope: "once" });
  engine.send({ type: "tool_asks", callId: "c", effectId: asked, approval: approval("c", "q2") });
  expect(engine.state).toBe(before);
  engine.finish("c", { status: "interrupted" });
  expect(engine.turnsFinished()).toEqual([]);
  engine.finish("a");
  expect(lastResults(engine)).toMatchObject([
    { callId: "a", status: "ok" },
    { callId: "b", status: "interrupted" },
    { callId: "c", status: "interrupted" },
    { callId: "d", status: "ok" },
  ]);
  expect(engine.turnsFinished()).toEqual(ended());
  expect(engine.effects("call_model")).toHaveLength(1);
});

test("only questions open: the turn ends with the interrupt", () => {
  const engine = withCalls("a");
  engine.prepared([ask("a")]);
  expect(engine.interrupt().effects.map((effect) => effect.type)).toEqual(["release_run"]);
  expect(engine.turnsFinished()).toEqual(ended());
});

test("a second interrupt while calls run answers them; their late results are dropped", () => {
  const engine = withCalls("a");
  engine.runAll();
  const effectId = engine.effectOf("a");
  engine.interrupt();
  engine.interrupt();
  expect(lastResults(engine)).toMatchObject([
    {
      status: "interrupted",
      content: [text("Interrupted by the user while it ran; it may have taken effect in part.")],
    },
  ]);
  expect(engine.turnsFinished()).toEqual(ended());
  const before = engine.state;
  engine.send({
    type: "tool_finished",
    callId: "a",
    effectId,
    result: okResult("a"),
    denied: false,
    facts: [],
  });
  expect(engine.state).toBe(before);
});

test("waiting prompts stay after an interrupt and go along with the next one", () => {
  const engine = started();
  engine.prompt("steer");
  engine.prompt("queued", { delivery: "queue" });
  engine.interrupt();
  engine.fail(RATE, { retryable: false });
  expect(engine.state.phase.type).toBe("idle");
  expect(engine.state.queue.map((prompt) => prompt.text)).toEqual(["steer", "queued"]);
  const step = engine.prompt("now", { settings: { interactive: false } });
  expect(step.facts.map((fact) => fact.type)).toEqual([
    ...["prompt_dequeued", "prompt_dequeued", "turn_started"],
    ...["message_added", "message_added", "message_added", "phase_changed"],
  ]);
  expect(
    engine
      .messages()
      .slice(-3)
      .map((message) => message.content),
  ).toEqual([[text("steer")], [text("queued")], [text("now")]]);
  expect(engine.state).toMatchObject({ queue: [], turn: { settings: { interactive: false } } });
});

test("a prompt that comes while an interrupted turn is still ending starts the next one", () => {
  const engine = withCalls("a");
  engine.runAll();
  engine.prompt("before", { delivery: "queue" });
  engine.interrupt();
  engine.prompt("go on");
  const step = engine.finish("a", { status: "interrupted" });
  expect(engine.turnsFinished()).toEqual(ended());
  expect(step.effects.map((effect) => effect.type)).toEqual(["release_run", "call_model"]);
  expect(
    engine
      .messages()
      .slice(-2)
      .map((message) => message.content),
  ).toEqual([[text("before")], [text("go on")]]);
});

test("cleared waiting prompts are reported as removed", () => {
  const engine = started();
  engine.prompt("steer");
  engine.interrupt();
  engine.interrupt();
  const [waiting] = engine.state.queue;
  expect(engine.send({ type: "cleared", commandId: "c" }).facts).toEqual([
    { type: "prompt_dequeued", promptId: waiting?.id, reason: "removed" },
    { type: "session_cleared" },
  ]);
});

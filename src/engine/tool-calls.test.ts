import { expect, test } from "vitest";
import { TestEngine } from "./testing/engine.ts";
import { approval, ask, audit, call, deny, okResult, run, text } from "./testing/values.ts";

function proposed(...ids: string[]): TestEngine {
  const engine = new TestEngine();
  engine.prompt("work");
  engine.reply([text("go"), ...ids.map((id) => call(id))]);
  return engine;
}

const statusOf = (engine: TestEngine, id: string) =>
  engine.state.calls.find((known) => known.id === id)?.status;
const GRANT = {
  rule: { effect: "allow" as const, tool: "bash", scope: "session" as const, source: "approval" },
  scope: "task" as const,
  grantedAt: 1,
  by: "tester",
};

test("run, ask and answered calls of one batch each take their way at once", () => {
  const engine = proposed("a", "b", "c");
  const step = engine.prepared([run("a"), ask("b"), deny("c")]);
  expect(step.facts.map((fact) => fact.type)).toEqual([
    "phase_changed",
    ...["decision_recorded", "call_changed"],
    ...["decision_recorded", "approval_requested", "call_changed"],
    ...["decision_recorded", "call_changed"],
  ]);
  expect(step.effects).toEqual([
    {
      type: "run_tool",
      effectId: engine.effectOf("a"),
      runId: "p1",
      call: call("a"),
      approvalId: null,
      interactive: true,
    },
  ]);
  expect(step.state.calls.map(({ status }) => status)).toEqual(["running", "awaiting_approval", "done"]);
  expect(step.state.approvals).toEqual([approval("b")]);
});

test("results come in the order of the calls, whatever ends first, with the facts of the tools", () => {
  const engine = proposed("a", "b", "c");
  engine.runAll();
  engine.finish("c");
  engine.finish("a", { content: [] });
  const notice = { type: "notice" as const, level: "info" as const, code: "x", text: "y" };
  const step = engine.send({
    type: "tool_finished",
    callId: "b",
    effectId: engine.effectOf("b"),
    result: okResult("wrong id", "error"),
    denied: false,
    facts: [notice],
  });
  expect(step.facts[0]).toEqual(notice);
  expect(engine.messages().at(-1)).toMatchObject({
    role: "user",
    kind: "tool_results",
    origin: "harness",
    content: [
      { callId: "a", status: "ok", content: [text("(no output)")] },
      { callId: "b", status: "error" },
      { callId: "c", status: "ok" },
    ],
  });
  expect(step.state.calls).toEqual([]);
});

test("a batch that is answered by its decisions goes on at once; a call left out is answered too", () => {
  const engine = proposed("a", "b");
  const step = engine.prepared([deny("a"), run("unknown"), deny("a")]);
  expect(engine.messages().at(-1)?.content).toMatchObject([
    { callId: "a", status: "denied" },
    { callId: "b", status: "error" },
  ]);
  expect(step.effects.map((effect) => effect.type)).toEqual(["call_model"]);
});

test("a second result of a call, and one of an old effect, are dropped", () => {
  const engine = proposed("a", "b");
  engine.runAll();
  const old = engine.effectOf("a");
  engine.finish("a");
  const before = engine.state;
  for (const effectId of [old, "other", engine.effectOf("b")]) {
    engine.send({
      type: "tool_finished",
      callId: "a",
      effectId,
      result: okResult("a"),
      denied: false,
      facts: [{ type: "notice", level: "info", code: "x", text: "late" }],
    });
  }
  expect(engine.state).toBe(before);
  expect(engine.all.facts.some((fact) => fact.type === "notice")).toBe(false);
});

test("yes: the call runs with its approval; a second answer changes nothing", () => {
  const engine = proposed("a");
  engine.prepared([ask("a")]);
  const step = engine.answer(approval("a"), { type: "allow", scope: "task" }, [GRANT]);
  expect(step.facts).toEqual([
    {
      type: "approval_resolved",
      approval: {
        ...approval("a"),
        status: "approved",
        answer: { type: "allow", scope: "task" },
        answeredBy: "tester",
        answeredAt: engine.now,
      },
    },
    { type: "grant_added", grant: GRANT },
    { type: "decision_recorded", audit: audit("a") },
    { type: "call_changed", runId: "p1", call: step.state.calls[0] },
  ]);
  expect(step.effects).toEqual([expect.objectContaining({ type: "run_tool", approvalId: "ap-a" })]);
  const before = engine.state;
  expect(engine.answer(approval("a"), { type: "deny" })).toEqual({ state: before, facts: [], effects: [] });
});

test("an approval for this exact call grants nothing beyond it", () => {
  const engine = proposed("a");
  const once = { ...approval("a"), onceOnly: true };
  engine.prepared([{ ...ask("a"), approval: once } as ReturnType<typeof ask>]);
  engine.answer(once, { type: "allow", scope: "everywhere" }, [GRANT]);
  expect(engine.all.facts.some((fact) => fact.type === "grant_added")).toBe(false);
  expect(statusOf(engine, "a")).toBe("running");
});

test("no, and words in place of a yes: the model is told, the denial listed, nothing runs", () => {
  for (const answer of [
    { type: "deny" as const, message: "use make" },
    { type: "reply" as const, text: "use make" },
  ]) {
    const engine = proposed("a");
    engine.prepared([ask("a")]);
    engine.answer(approval("a"), answer, [GRANT]);
    const told = "The user did not allow this call; do not try it again as it is. The user said: use make";
    expect(engine.messages().at(-1)?.content).toEqual([
      { type: "tool_result", callId: "a", status: "denied", content: [text(told)] },
    ]);
    expect(engine.state.turn?.denials).toMatchObject([{ callId: "a", reason: told }]);
    expect(engine.effects("run_tool")).toEqual([]);
    expect(engine.all.facts.some((fact) => fact.type === "grant_added")).toBe(false);
    expect(engine.effects("call_model")).toHaveLength(2);
  }
});

test("a running call may have several questions open; each answer goes to it, the call runs on", () => {
  const engine = proposed("a");
  engine.runAll();
  const effectId = engine.effectOf("a");
  engine.now += 5;
  const raise = (id: string) =>
    engine.send({
      type: "tool_asks",
      callId: "a",
      effectId,
      approval: { ...approval("a", id), kind: "domain" },
    });
  raise("q1");
  expect(raise("q2").facts).toEqual([expect.objectContaining({ type: "approval_requested" })]);
  expect(raise("q2").facts).toEqual([]);
  expect(engine.state.calls).toMatchObject([{ status: "awaiting_approval", approvalId: "q1", effectId }]);
  const answer = { type: "reply" as const, text: "blue" };
  const step = engine.answer(approval("a", "q1"), answer);
  expect(step.effects).toEqual([{ type: "answer_tool", effectId, callId: "a", approvalId: "q1", answer }]);
  expect(step.facts[0]).toMatchObject({ approval: { status: "approved", answer } });
  expect(engine.state.calls).toMatchObject([{ status: "awaiting_approval", approvalId: "q2" }]);
  engine.answer(approval("a", "q2"), { type: "deny" });
  expect(engine.state.calls).toMatchObject([{ status: "running", effectId, startedAt: 1_000_000 }]);
  expect(engine.state.turn?.denials).toEqual([]);
});

test("a call that ends while it asks closes its questions", () => {
  const engine = proposed("a", "b");
  engine.runAll();
  const effectId = engine.effectOf("a");
  engine.send({ type: "tool_asks", callId: "a", effectId, approval: approval("a", "q1") });
  engine.send({ type: "tool_asks", callId: "a", effectId: "other", approval: approval("a", "q2") });
  const step = engine.finish("a", { status: "error" }, true);
  expect(step.facts[0]).toMatchObject({
    type: "approval_resolved",
    approval: { id: "q1", status: "cancelled" },
  });
  expect(engine.state.approvals).toEqual([]);
  expect(engine.state.turn?.denials).toMatchObject([{ callId: "a" }]);
});

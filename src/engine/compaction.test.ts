import { expect, test } from "vitest";
import type { HistoryCut, Message } from "../protocol/message.ts";
import type { FailureInfo, Outcome } from "../protocol/session.ts";
import { TestEngine } from "./testing/engine.ts";
import { call, limited, okResult, text, USAGE } from "./testing/values.ts";
import type { Step } from "./transition.ts";

const TOO_LONG: FailureInfo = { kind: "context_exceeded", message: "prompt is too long", status: 400 };

/** In the middle of a turn: one step is done, the next model call runs. */
function inTurn(more = {}): TestEngine {
  const engine = new TestEngine();
  engine.prompt("task", more);
  engine.reply([call("a")]);
  engine.runAll();
  engine.finish("a");
  return engine;
}

function summaryOf(engine: TestEngine, cut?: HistoryCut): Message {
  return {
    id: engine.id("sum"),
    sessionId: "s1",
    parentId: engine.state.head,
    runId: null,
    role: "user",
    kind: "summary",
    origin: "harness",
    content: [text("so far")],
    ...(cut ? { cut } : {}),
    createdAt: 1,
  };
}

const full = (engine: TestEngine, estimate = 1000): Step =>
  engine.send({ type: "context_full", effectId: engine.effectId(), estimate });

function finish(engine: TestEngine, summary: Message | null, estimate = 100): Step {
  const warning = summary ? null : "it was empty";
  const effectId = engine.effectId();
  return engine.send({
    type: "compaction_finished",
    effectId,
    summary,
    estimate,
    usage: USAGE,
    model: "m",
    warning,
  });
}

const refuse = (engine: TestEngine): Step => engine.fail(TOO_LONG, { retryable: false });

const outcome = (engine: TestEngine): Outcome | undefined => engine.turnsFinished().at(-1)?.outcome;

test("a conversation past its budget is compacted before the model is asked, and the step goes on", () => {
  const engine = inTurn();
  const started = full(engine);
  expect(started.effects).toMatchObject([{ type: "compact", trigger: "auto", attempt: 1, focus: null }]);
  expect(engine.state.phase.type).toBe("compacting");
  const summary = summaryOf(engine, {
    type: "compacted",
    droppedThrough: "x",
    trimmedThrough: null,
    trigger: "auto",
    tokensBefore: 9,
    transcript: null,
    prompts: [],
    files: [],
  });
  const done = finish(engine, summary);
  expect(done.state).toMatchObject({ head: summary.id, droppedThrough: "x" });
  expect(done.effects).toMatchObject([{ type: "call_model", head: summary.id, checkRoom: true }]);
  expect(done.facts).toContainEqual({ type: "usage_added", model: "m", purpose: "compaction", usage: USAGE });
});

test("what a compaction did not help is sent as it is, not compacted again", () => {
  const engine = inTurn();
  full(engine);
  finish(engine, summaryOf(engine), 1000);
  expect(full(engine, 1100).effects).toMatchObject([{ type: "call_model", checkRoom: false }]);
  engine.reply([call("b")]);
  engine.runAll();
  engine.finish("b");
  expect(full(engine, 1199).effects).toMatchObject([{ type: "call_model", checkRoom: false }]);
  engine.reply([call("c")]);
  engine.runAll();
  engine.finish("c");
  expect(full(engine, 1200).effects).toMatchObject([{ type: "compact" }]);
});

test("a failed one changes nothing; after two the conversation must grow by a fifth before the next", () => {
  const engine = inTurn();
  const { head } = engine.state;
  const tried: string[] = [];
  for (const [index, estimate] of [1000, 1010, 1020, 1211, 1212].entries()) {
    const step = full(engine, estimate);
    tried.push(step.effects[0]?.type ?? "");
    if (step.effects[0]?.type === "compact") {
      const { facts } = finish(engine, null, estimate);
      expect(facts).toContainEqual({
        type: "notice",
        level: "warning",
        code: "compact",
        text: "it was empty",
      });
      if (index === 0) expect(engine.state.head).toBe(head);
    }
    engine.reply([call(`c${index}`)]);
    engine.runAll();
    engine.finish(`c${index}`);
  }
  expect(tried).toEqual(["compact", "compact", "call_model", "call_model", "compact"]);
});

test("a conversation that the model refuses as too long is cut deeper each time, then the turn fails", () => {
  const engine = inTurn();
  for (const attempt of [1, 2, 3]) {
    expect(refuse(engine).effects).toMatchObject([{ type: "compact", trigger: "overflow", attempt }]);
    expect(finish(engine, summaryOf(engine)).effects).toMatchObject([{ type: "call_model" }]);
  }
  refuse(engine);
  expect(outcome(engine)).toMatchObject({ type: "failed", error: { kind: "context_exceeded" } });
  expect(engine.state.phase.type).toBe("idle");
});

test("the same request is never sent twice: nothing to cut ends the turn", () => {
  const engine = inTurn();
  refuse(engine);
  finish(engine, null);
  expect(outcome(engine)).toMatchObject({ type: "failed", error: { kind: "context_exceeded" } });
});

test("a good answer makes the attempts count anew", () => {
  const engine = inTurn();
  refuse(engine);
  finish(engine, summaryOf(engine));
  engine.reply([call("b")]);
  engine.runAll();
  engine.finish("b");
  expect(refuse(engine).effects).toMatchObject([{ type: "compact", attempt: 1 }]);
});

test("an answer that fills the window goes on after a compaction, as one text; twice in vain is a failure", () => {
  const engine = inTurn();
  engine.reply([text("half ")], "context_exceeded");
  expect(engine.effects("compact").at(-1)).toMatchObject({ trigger: "cut", attempt: 1 });
  finish(engine, null);
  engine.reply([text("whole")]);
  expect(engine.turnsFinished().at(-1)).toMatchObject({ outcome: { type: "done" }, text: "half whole" });

  const stuck = inTurn();
  for (const words of ["one", "two"]) {
    stuck.reply([text(words)], "context_exceeded");
    finish(stuck, null);
  }
  expect(outcome(stuck)).toMatchObject({ type: "failed", error: { kind: "context_exceeded" } });
});

test("the wrap-up of a spent limit is compacted too, and ends at its limit when that does not help", () => {
  const engine = inTurn(limited({ maxToolCalls: 1 }));
  expect(engine.state.phase.type).toBe("wrapping_up");
  full(engine);
  expect(finish(engine, summaryOf(engine)).effects).toMatchObject([
    { type: "call_model", purpose: "wrap_up" },
  ]);
  refuse(engine);
  finish(engine, null);
  expect(outcome(engine)).toEqual({ type: "limit", limit: "tool_calls" });
});

test("the model's own wish begins when the results of its step are stored, and the turn goes on after it", () => {
  const engine = new TestEngine();
  engine.prompt("task");
  engine.reply([call("a", "compact"), call("b")]);
  engine.runAll();
  const effectId = engine.effectOf("a");
  const wish = { type: "compaction_wished" as const, focus: "" };
  const result = okResult("a");
  engine.send({ type: "tool_finished", callId: "a", effectId, result, denied: false, facts: [wish] });
  expect(engine.state.phase.type).toBe("running_tools");
  const step = engine.finish("b");
  expect(step.facts.map((fact) => fact.type)).toContain("message_added");
  expect(step.effects).toMatchObject([
    { type: "compact", trigger: "manual", focus: "", head: engine.state.head },
  ]);
  expect(engine.all.facts.map((fact) => fact.type)).not.toContain("compaction_wished");
  expect(finish(engine, null).effects).toMatchObject([{ type: "call_model" }]);
  engine.reply([call("c")]);
  engine.runAll();
  expect(engine.finish("c").effects).toMatchObject([{ type: "call_model" }]);
});

test("an interrupt ends a compaction at once, and a restart issues it anew", () => {
  const engine = inTurn();
  full(engine);
  const before = engine.effectId();
  expect(engine.restart().effects).toMatchObject([{ type: "compact", trigger: "auto", attempt: 1 }]);
  expect(engine.effectId()).not.toBe(before);
  const running = engine.effectId();
  expect(engine.interrupt().effects).toMatchObject([
    { type: "cancel", effectIds: [running] },
    { type: "release_run" },
  ]);
  expect(outcome(engine)).toEqual({ type: "interrupted", by: "user" });
});

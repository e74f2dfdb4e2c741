import { expect, test } from "vitest";
import { TestEngine } from "./testing/engine.ts";
import { call, deny, limited, okResult, text, UNKNOWN_USAGE, USAGE } from "./testing/values.ts";

const outcomes = (engine: TestEngine) => engine.turnsFinished().map((fact) => fact.outcome);

test("a prompt while idle starts a turn with its message and one model call", () => {
  const engine = new TestEngine();
  const step = engine.send({
    type: "prompt",
    commandId: "c1",
    promptId: "p1",
    content: [text("hello")],
    delivery: "steer",
    settings: { interactive: true, boundTo: "client", limits: limited({}).settings.limits },
  });
  expect(step.facts).toEqual([
    { type: "turn_started", runId: "p1", cause: "prompt", interactive: true },
    {
      type: "message_added",
      message: {
        id: "p1",
        sessionId: "s1",
        parentId: null,
        runId: "p1",
        role: "user",
        kind: "prompt",
        origin: "user",
        content: [text("hello")],
        createdAt: 1_000_000,
      },
    },
    { type: "phase_changed", phase: "calling_model", step: 1, effectId: "id1" },
  ]);
  expect(step.effects).toEqual([
    {
      type: "call_model",
      effectId: "id1",
      runId: "p1",
      head: "p1",
      model: "test/model",
      purpose: "step",
      limit: null,
      checkRoom: true,
    },
  ]);
  expect(step.state).toMatchObject({ head: "p1", recentCommands: ["c1"], turn: { steps: 0, cuts: 0 } });
});

test("an answer without calls ends the turn: done, with text, usage and time", () => {
  const engine = new TestEngine();
  engine.prompt("hello");
  engine.now += 70;
  const step = engine.reply([text("hi")]);
  expect(step.facts).toEqual([
    { type: "usage_added", model: "test/model", purpose: "step", usage: USAGE },
    {
      type: "message_added",
      message: expect.objectContaining({
        parentId: "p1",
        role: "assistant",
        kind: "reply",
        origin: "model",
        content: [text("hi")],
        stopReason: "end_turn",
        usage: USAGE,
      }),
    },
    {
      type: "turn_finished",
      runId: "p1",
      outcome: { type: "done" },
      text: "hi",
      steps: 1,
      toolCalls: 0,
      durationMs: 70,
      apiMs: 70,
      usage: USAGE,
      denials: [],
    },
    { type: "phase_changed", phase: "idle", step: 0, effectId: null },
  ]);
  expect(step.effects).toEqual([{ type: "release_run", runId: "p1" }]);
  expect(step.state).toMatchObject({ phase: { type: "idle" }, turn: null, calls: [], usage: USAGE });
});

test("three tool turns and a final text are four model calls, each below the last result", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  for (const id of ["a", "b", "c"]) {
    engine.reply([text(`do ${id}`), call(id)]);
    engine.runAll();
    engine.finish(id);
  }
  engine.reply([text("all done")]);
  expect(engine.effects("call_model")).toHaveLength(4);
  expect(engine.messages().map((message) => message.kind)).toEqual([
    "prompt",
    ...["a", "b", "c"].flatMap(() => ["reply", "tool_results"]),
    "reply",
  ]);
  expect(engine.turnsFinished()[0]).toMatchObject({ text: "all done", steps: 4, toolCalls: 3 });
});

test("a repeated command changes nothing, and fifty are remembered", () => {
  const engine = new TestEngine();
  const input = {
    type: "settings_changed" as const,
    commandId: "again",
    title: "x",
  };
  expect(engine.send(input).facts).toHaveLength(1);
  const before = engine.state;
  expect(engine.send(input)).toEqual({ state: before, facts: [], effects: [] });
  expect(engine.state).toBe(before);
  for (let index = 0; index < 60; index++) engine.send({ ...input, commandId: `c${index}` });
  expect(engine.state.recentCommands).toHaveLength(50);
  expect(engine.state.recentCommands.at(-1)).toBe("c59");
});

test("steering prompts are delivered after the results, queued ones start the next turn", () => {
  const engine = new TestEngine();
  engine.prompt("first");
  engine.reply([call("a")]);
  engine.runAll();
  expect(engine.prompt("queued", { delivery: "queue" }).facts).toEqual([
    {
      type: "prompt_queued",
      prompt: expect.objectContaining({ delivery: "queue", text: "queued", at: 1_000_000 }),
    },
  ]);
  engine.prompt("steer 1");
  engine.prompt("steer 2");
  const facts = engine
    .finish("a")
    .facts.map((fact) =>
      fact.type === "message_added"
        ? ((fact.message.content[0] as { text?: string }).text ?? fact.message.kind)
        : fact.type,
    );
  expect(facts).toEqual([
    "call_changed",
    "tool_results",
    "prompt_dequeued",
    "prompt_dequeued",
    "steer 1",
    "steer 2",
    "phase_changed",
  ]);
  const step = engine.reply([text("done")]);
  expect(step.facts.map((fact) => fact.type)).toEqual([
    "usage_added",
    "message_added",
    "turn_finished",
    "phase_changed",
    "prompt_dequeued",
    "turn_started",
    "message_added",
    "phase_changed",
  ]);
  expect(step.effects.map((effect) => effect.type)).toEqual(["release_run", "call_model"]);
  expect(engine.state.queue).toEqual([]);
});

test("a steering prompt that waits at the final reply keeps the same turn going", () => {
  const engine = new TestEngine();
  engine.prompt("first");
  engine.prompt("and this");
  engine.reply([text("answer")]);
  expect(engine.turnsFinished()).toEqual([]);
  expect(engine.state.phase.type).toBe("calling_model");
  engine.reply([text("both")]);
  expect(engine.turnsFinished()).toEqual([expect.objectContaining({ steps: 2, text: "both" })]);
});

test("any number of waiting prompts fits the ids of one input", () => {
  const engine = new TestEngine();
  engine.prompt("first");
  for (let index = 0; index < 100; index++) engine.prompt(`steer ${index}`);
  engine.reply([text("answer")]);
  expect(engine.state.queue).toEqual([]);
  expect(engine.messages().at(-1)?.content).toEqual([text("steer 99")]);
});

test("queued prompts without headroom end one after the other, without a request", () => {
  const engine = new TestEngine();
  engine.prompt("first");
  for (let index = 0; index < 40; index++) {
    engine.prompt(`q${index}`, { delivery: "queue", ...limited({ maxCostUsd: 0 }) });
  }
  engine.reply([text("answer")]);
  expect(outcomes(engine)).toEqual([{ type: "done" }, ...Array(40).fill({ type: "limit", limit: "cost" })]);
  expect(engine.effects("call_model")).toHaveLength(1);
});

test("unqueue takes back a waiting prompt, once", () => {
  const engine = new TestEngine();
  engine.prompt("first");
  engine.prompt("second");
  const promptId = engine.state.queue[0]!.id;
  expect(engine.state.queue[0]).toMatchObject({ text: "second", content: [text("second")] });
  expect(engine.send({ type: "unqueue", commandId: "u1", promptId }).facts).toEqual([
    { type: "prompt_dequeued", promptId, reason: "removed" },
  ]);
  const before = engine.state;
  expect(engine.send({ type: "unqueue", commandId: "u2", promptId }).state).toBe(before);
});

test("headless, a turn that ends normally with denials ends as denied; interactive it is done", () => {
  for (const interactive of [true, false]) {
    const engine = new TestEngine();
    engine.prompt("work", { settings: { interactive } });
    engine.reply([call("a")]);
    engine.prepared([deny("a")]);
    engine.reply([text("could not")]);
    expect(outcomes(engine)).toEqual([
      interactive
        ? { type: "done" }
        : { type: "denied", message: "1 call was denied; the result lists them" },
    ]);
    expect(engine.turnsFinished()[0]!.denials).toEqual([
      { callId: "a", tool: "bash", input: { command: "a" }, reason: "denied a" },
    ]);
  }
});

test("five steps in which everything was denied end the turn, results stored", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  for (let index = 1; index <= 5; index++) {
    engine.reply([call(`a${index}`), call(`b${index}`)]);
    engine.prepared([deny(`a${index}`), deny(`b${index}`)]);
  }
  expect(outcomes(engine)).toEqual([
    { type: "denied", message: expect.stringContaining("5 times in a row") },
  ]);
  expect(engine.messages().at(-1)?.kind).toBe("tool_results");
  expect(engine.turnsFinished()[0]!.denials).toHaveLength(10);
});

test("one call that ran breaks the run of denied steps", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  for (let index = 1; index <= 12; index++) {
    engine.reply([call(`a${index}`)]);
    if (index % 4 === 0) {
      engine.runAll();
      engine.finish(`a${index}`);
    } else engine.prepared([deny(`a${index}`)]);
  }
  expect(engine.state.turn?.deniedSteps).toBe(0);
});

test("the list of denials is bounded", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  const many = Array.from({ length: 600 }, (_, index) => ({
    ...call(`a${index}`),
    input: { content: "x".repeat(5000), nested: { deep: ["y".repeat(5000)] }, small: 7 },
  }));
  engine.reply(many);
  engine.prepared(many.map(({ id }) => deny(id)));
  const denials = engine.state.turn!.denials;
  expect(denials).toHaveLength(500);
  expect(denials[0]!.input).toEqual({
    content: `${"x".repeat(1000)}…`,
    nested: `{"deep":["${"y".repeat(990)}…`,
    small: 7,
  });
});

test("a total cost is unknown as soon as the cost of one call is, and tokens still add up", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  engine.reply([text("one")], "pause_turn");
  engine.reply([text("two")], "pause_turn", { ...UNKNOWN_USAGE, output: 3 });
  engine.reply([text("three")]);
  expect(engine.state.usage).toEqual({ input: 20, output: 13, cacheRead: 0, cacheWrite: null, cost: null });
  expect(engine.turnsFinished()[0]!.usage).toEqual(engine.state.usage);
});

test("settings change while a turn runs, and the next call uses them", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  const change = {
    type: "settings_changed" as const,
    commandId: "s",
    model: "other/model",
    mode: "auto" as const,
  };
  expect(engine.send(change).facts).toEqual([
    { type: "session_changed", model: "other/model", mode: "auto" },
  ]);
  engine.reply([call("a")]);
  engine.prepared([
    { callId: "a", type: "answered", result: okResult("a"), audit: {} as never, denied: false },
  ]);
  expect(engine.all.effects.at(-1)).toMatchObject({ type: "call_model", model: "other/model" });
});

test("clear and rewind work while idle only", () => {
  const engine = new TestEngine();
  engine.prompt("work");
  for (const input of [
    { type: "cleared" as const, commandId: "x1" },
    { type: "head_moved" as const, commandId: "x2", head: null },
    { type: "compact_requested" as const, commandId: "x3", focus: null },
  ]) {
    const step = engine.send(input);
    expect(step.facts).toEqual([expect.objectContaining({ type: "notice", level: "warning" })]);
    expect(step.state.head).toBe("p1");
    expect(engine.send(input).facts).toEqual([]);
  }
  engine.reply([text("hi")]);
  expect(engine.send({ type: "head_moved", commandId: "x4", head: "p1" }).state.head).toBe("p1");
  expect(engine.send({ type: "cleared", commandId: "x5" }).facts).toEqual([{ type: "session_cleared" }]);
  expect(engine.state.head).toBeNull();
});

test("noticed texts become facts and change nothing else", () => {
  const engine = new TestEngine();
  const before = engine.state;
  const step = engine.send({ type: "noticed", level: "info", code: "k", text: "t" });
  expect(step).toEqual({
    state: before,
    facts: [{ type: "notice", level: "info", code: "k", text: "t" }],
    effects: [],
  });
});

import { expect, it } from "vitest";
import type { Fact } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import { AppError } from "../shared/error.ts";
import { createTurns } from "./follow-run.ts";
import type { TurnFinished } from "./output/run-output.ts";

function setup() {
  const seen: string[] = [];
  let seq = 0;
  const turns = createTurns({
    fact: ({ fact }) => void seen.push(fact.type),
    finish: (turn, code) => void seen.push(`finish ${turn.runId} ${code}`),
  });
  const send = (...facts: Fact[]): void => {
    for (const fact of facts) turns.fact({ seq: ++seq, at: 1, fact });
  };
  return { seen, turns, send };
}
const started = (runId: string): Fact => ({
  type: "turn_started",
  runId,
  cause: "prompt",
  interactive: false,
});
const prompt = (id: string, runId: string): Fact => ({
  type: "message_added",
  message: { id, runId, kind: "prompt", role: "user" } as Message,
});
const finished = (runId: string): TurnFinished =>
  ({ type: "turn_finished", runId, outcome: { type: "done" }, text: runId }) as TurnFinished;
const notice: Fact = { type: "notice", level: "warning", code: "x", text: "x" };

it("puts out the turn of one's own prompt, from its beginning, however early it comes", async () => {
  const { seen, turns, send } = setup();
  const end = turns.next();
  turns.hold();
  send(notice, started("p1"), prompt("p1", "p1"));
  expect(seen).toEqual([]);
  turns.expect("p1");
  expect(turns.isOurs()).toBe(true);
  send(notice, finished("p1"));
  expect((await end).text).toBe("p1");
  expect(seen).toEqual(["notice", "turn_started", "message_added", "notice", "turn_finished", "finish p1 0"]);
  expect(turns.isOurs()).toBe(false);
});

it("is silent about another's turn, and waits for the own one behind it", async () => {
  const { seen, turns, send } = setup();
  const end = turns.next();
  turns.hold();
  turns.expect("p2");
  send(started("p1"), prompt("p1", "p1"), notice, finished("p1"));
  expect(seen).toEqual([]);
  send(started("p2"), prompt("p2", "p2"), finished("p2"));
  expect((await end).runId).toBe("p2");
  expect(seen).toEqual(["turn_started", "message_added", "turn_finished", "finish p2 0"]);
});

it("finds its prompt in a turn that began with prompts left waiting", async () => {
  const { turns, send } = setup();
  const end = turns.next();
  turns.hold();
  turns.expect("p9");
  send(started("p1"), prompt("p1", "p1"), prompt("p9", "p1"), finished("p1"));
  expect((await end).runId).toBe("p1");
});

it("a failure ends what waits now and what would wait later", async () => {
  const { turns } = setup();
  const end = turns.next();
  turns.fail(new AppError("interrupted", "interrupted"));
  turns.fail(new AppError("other", "other"));
  await expect(end).rejects.toMatchObject({ code: "interrupted" });
  await expect(turns.next()).rejects.toMatchObject({ code: "interrupted" });
});

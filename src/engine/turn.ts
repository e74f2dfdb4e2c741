import type { LimitKind, Outcome } from "../protocol/session.ts";
import { addMessage, change, changeTurn, type Draft, enter } from "./draft.ts";
import { limitMessage, spentLimit } from "./limits.ts";
import type { Turn, WaitingPrompt } from "./state.ts";
import { ZERO_USAGE } from "./usage.ts";

/** Begins a turn with one or more prompts; the settings of the last one count. */
export function startTurn(draft: Draft, prompts: readonly WaitingPrompt[]): void {
  const [first] = prompts;
  const settings = prompts.at(-1)?.settings;
  if (!first || !settings) return;
  const turn: Turn = {
    runId: first.id,
    startedAt: draft.now,
    settings,
    steps: 0,
    toolCalls: 0,
    usage: ZERO_USAGE,
    apiMs: 0,
    lastText: "",
    denials: [],
    deniedSteps: 0,
    emptyReplies: 0,
    cuts: 0,
    pauses: 0,
    squeezes: 0,
    limit: null,
  };
  change(draft, { turn, calls: [], approvals: [], interrupting: null });
  const { interactive } = settings;
  draft.facts.push({ type: "turn_started", runId: turn.runId, cause: "prompt", interactive });
  deliver(draft, prompts);
  goOn(draft);
}

/** Puts prompts into the conversation. Each message carries its prompt's id, so any number can be delivered. */
function deliver(draft: Draft, prompts: readonly WaitingPrompt[]): void {
  if (prompts.length > 0) changeTurn(draft, { roundsWithoutTodo: 0 });
  for (const { id, content } of prompts) {
    addMessage(draft, { id, role: "user", kind: "prompt", origin: "user", content });
  }
}

const steeringOf = (draft: Draft): WaitingPrompt[] =>
  draft.state.queue.filter((prompt) => prompt.delivery === "steer");

/**
 * The next step of the turn: waiting steering prompts and a model call; or the end when a limit is spent, and
 * then what waits is left for the next turn. `held` keeps steering back while the model is in mid-answer.
 */
export function goOn(draft: Draft, steering: "deliver" | "held" = "deliver"): void {
  const { turn } = draft.state;
  if (!turn) return;
  const limit = turn.limit ?? spentLimit(turn, draft.now);
  if (limit !== null) return reachLimit(draft, limit);
  if (steering === "deliver") {
    const waiting = steeringOf(draft);
    takeFromQueue(draft, waiting);
    deliver(draft, waiting);
  }
  callModel(draft);
}

/**
 * The model has nothing more to do: steering prompts that wait let the turn go on, if no limit is spent. Headless,
 * a denial on the way is part of the outcome.
 */
export function finishTurn(draft: Draft): void {
  const { turn } = draft.state;
  if (!turn) return;
  if (steeringOf(draft).length > 0 && spentLimit(turn, draft.now) === null) return goOn(draft);
  if (turn.settings.interactive || turn.denials.length === 0) return endTurn(draft, { type: "done" });
  const count = turn.denials.length === 1 ? "1 call was denied" : `${turn.denials.length} calls were denied`;
  endTurn(draft, { type: "denied", message: `${count}; the result lists them` });
}

/**
 * One model call for the turn: its next step, or the last and tool-less one when a limit was reached. `checkRoom`
 * false: it is sent however long the conversation is.
 */
export function callModel(draft: Draft, attempt = 1, waitedMs = 0, checkRoom = true): void {
  const { turn, head, model } = draft.state;
  if (!turn || head === null) return;
  const { limit, runId } = turn;
  const call = { effectId: draft.newId(), attempt, startedAt: draft.now, waitedMs };
  const { effectId } = call;
  enter(draft, limit === null ? { type: "calling_model", ...call } : { type: "wrapping_up", ...call, limit });
  const purpose = limit === null ? ("step" as const) : ("wrap_up" as const);
  draft.effects.push({ type: "call_model", effectId, runId, head, model, purpose, limit, checkRoom });
}

/**
 * A limit is spent with work left. The number of model calls is a hard bound, and a turn that never began has
 * nothing to say; every other limit leaves the model one call to wrap up.
 */
function reachLimit(draft: Draft, limit: LimitKind): void {
  if (limit === "steps" || draft.state.turn?.steps === 0) return endAtLimit(draft, limit);
  sayLimit(draft, limit);
  callModel(draft);
}

/** Ends the turn at a limit without a last word of the model. `because` is added for the user. */
export function endAtLimit(draft: Draft, limit: LimitKind, because?: string): void {
  sayLimit(draft, limit, because);
  endTurn(draft, { type: "limit", limit });
}

function sayLimit(draft: Draft, limit: LimitKind, because?: string): void {
  const { turn } = draft.state;
  if (!turn || turn.limit !== null) return;
  changeTurn(draft, { limit });
  const message = limitMessage(limit, turn.settings.limits);
  draft.facts.push({
    type: "limit_reached",
    limit,
    message: because === undefined ? message : `${message}: ${because}`,
  });
}

/** Ends the turn; then the next waiting prompts begin theirs, unless they waited when the user interrupted. */
export function endTurn(draft: Draft, outcome: Outcome): void {
  const { turn, interrupting } = draft.state;
  if (!turn) return;
  draft.facts.push({
    type: "turn_finished",
    runId: turn.runId,
    outcome,
    text: finalText(turn, outcome),
    steps: turn.steps,
    toolCalls: turn.toolCalls,
    durationMs: draft.now - turn.startedAt,
    apiMs: turn.apiMs,
    usage: turn.usage,
    denials: turn.denials,
  });
  draft.effects.push({ type: "release_run", runId: turn.runId });
  change(draft, { turn: null, calls: [], approvals: [], interrupting: null });
  enter(draft, { type: "idle" });
  if (outcome.type !== "interrupted") startNext(draft);
  else if (interrupting?.promptSince) startWith(draft, draft.state.queue);
}

function finalText(turn: Turn, outcome: Outcome): string {
  if (outcome.type !== "limit" || outcome.limit !== "steps") return turn.lastText;
  const note = `(${limitMessage("steps", turn.settings.limits)})`;
  return turn.lastText === "" ? note : `${turn.lastText}\n${note}`;
}

/** Begins a turn with what waits: all steering prompts together, else the first of the queue. */
export function startNext(draft: Draft): void {
  const steering = steeringOf(draft);
  startWith(draft, steering.length > 0 ? steering : draft.state.queue.slice(0, 1));
}

function startWith(draft: Draft, prompts: readonly WaitingPrompt[]): void {
  takeFromQueue(draft, prompts);
  startTurn(draft, prompts);
}

/** Takes prompts out of the queue for delivery, and says so. */
export function takeFromQueue(draft: Draft, taken: readonly WaitingPrompt[]): void {
  if (taken.length === 0) return;
  change(draft, { queue: draft.state.queue.filter((prompt) => !taken.includes(prompt)) });
  for (const { id } of taken) {
    draft.facts.push({ type: "prompt_dequeued", promptId: id, reason: "delivered" });
  }
}

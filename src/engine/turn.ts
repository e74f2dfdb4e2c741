import type { LimitKind, Outcome } from "../protocol/session.ts";
import { addMessage, change, changeTurn, type Draft, enter } from "./draft.ts";
import { limitMessage, spentLimit } from "./limits.ts";
import type { Turn, WaitingPrompt } from "./state.ts";
import { NO_USAGE } from "./usage.ts";

/** Begins a turn with one or more prompts; the settings of the last one count. */
export function startTurn(draft: Draft, prompts: readonly WaitingPrompt[]): void {
  const settings = prompts.at(-1)?.settings;
  if (!settings) return;
  const turn: Turn = {
    runId: draft.newId(),
    startedAt: draft.now,
    settings,
    steps: 0,
    toolCalls: 0,
    usage: NO_USAGE,
    apiMs: 0,
    lastText: "",
    denials: [],
    deniedSteps: 0,
    emptyReplies: 0,
    cuts: 0,
    limit: null,
  };
  change(draft, { turn, calls: [], approvals: [], interrupting: null });
  draft.facts.push({
    type: "turn_started",
    runId: turn.runId,
    cause: "prompt",
    interactive: settings.interactive,
  });
  deliver(draft, prompts);
  goOn(draft);
}

/** Puts waiting prompts into the conversation. */
export function deliver(draft: Draft, prompts: readonly WaitingPrompt[]): void {
  for (const prompt of prompts) {
    addMessage(draft, { role: "user", kind: "prompt", origin: "user", content: prompt.content });
  }
}

/** Takes the steering prompts out of the queue and delivers them; true when there were any. */
export function deliverSteering(draft: Draft): boolean {
  const steering = draft.state.queue.filter((prompt) => prompt.delivery === "steer");
  if (steering.length === 0) return false;
  takeFromQueue(draft, steering);
  deliver(draft, steering);
  return true;
}

/** The next step of the turn: a model call, or the end when a limit is spent. */
export function goOn(draft: Draft): void {
  const { turn } = draft.state;
  if (!turn) return;
  const limit = spentLimit(turn, draft.now);
  if (limit === null) callModel(draft);
  else reachLimit(draft, limit);
}

/** One model call for the turn. */
export function callModel(draft: Draft, attempt = 1): void {
  const { turn, head, model } = draft.state;
  if (!turn || head === null) return;
  const effectId = draft.newId();
  enter(draft, { type: "calling_model", effectId, attempt, startedAt: draft.now });
  draft.effects.push({
    type: "call_model",
    effectId,
    runId: turn.runId,
    head,
    model,
    purpose: "step",
    limit: null,
  });
}

/** The last, tool-less call in which the model says where it stands. */
export function wrapUp(draft: Draft, limit: LimitKind, attempt = 1): void {
  const { turn, head, model } = draft.state;
  if (!turn || head === null) return;
  const effectId = draft.newId();
  enter(draft, { type: "wrapping_up", effectId, attempt, startedAt: draft.now, limit });
  draft.effects.push({
    type: "call_model",
    effectId,
    runId: turn.runId,
    head,
    model,
    purpose: "wrap_up",
    limit,
  });
}

/**
 * A limit is spent with work left. The number of model calls is a hard bound, and a turn that never began has
 * nothing to say; every other limit leaves the model one call to wrap up.
 */
function reachLimit(draft: Draft, limit: LimitKind): void {
  const { turn } = draft.state;
  if (!turn) return;
  changeTurn(draft, { limit });
  draft.facts.push({ type: "limit_reached", limit, message: limitMessage(limit, turn.settings.limits) });
  if (limit === "steps" || turn.steps === 0) endTurn(draft, { type: "limit", limit });
  else wrapUp(draft, limit);
}

/** Ends the turn; then the next waiting prompts begin theirs, unless the user had interrupted. */
export function endTurn(draft: Draft, outcome: Outcome): void {
  const { turn } = draft.state;
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
}

function finalText(turn: Turn, outcome: Outcome): string {
  if (outcome.type !== "limit" || outcome.limit !== "steps") return turn.lastText;
  const note = `(${limitMessage("steps", turn.settings.limits)})`;
  return turn.lastText === "" ? note : `${turn.lastText}\n${note}`;
}

/** Begins a turn with what waits: all steering prompts together, else the first of the queue. */
function startNext(draft: Draft): void {
  const { queue } = draft.state;
  const steering = queue.filter((prompt) => prompt.delivery === "steer");
  const next = steering.length > 0 ? steering : queue.slice(0, 1);
  if (next.length === 0) return;
  takeFromQueue(draft, next);
  startTurn(draft, next);
}

function takeFromQueue(draft: Draft, taken: readonly WaitingPrompt[]): void {
  change(draft, { queue: draft.state.queue.filter((prompt) => !taken.includes(prompt)) });
  for (const prompt of taken)
    draft.facts.push({ type: "prompt_dequeued", promptId: prompt.id, reason: "delivered" });
}

/** The end of a turn whose model has nothing more to do: headless, a denial on the way is part of the outcome. */
export function endDone(draft: Draft): void {
  const { turn } = draft.state;
  if (!turn) return;
  if (turn.settings.interactive || turn.denials.length === 0) return endTurn(draft, { type: "done" });
  const count = turn.denials.length === 1 ? "1 call was denied" : `${turn.denials.length} calls were denied`;
  endTurn(draft, { type: "denied", message: `${count}; the result lists them` });
}

import { isCalling } from "./calling.ts";
import { change, changeTurn, type Draft, enter, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import type { CompactionWish } from "./state.ts";
import { callModel, endTurn, goOn, startNext } from "./turn.ts";
import { addUsage, isKnown } from "./usage.ts";

type Finished = Extract<Input, { type: "compaction_finished" }>;

/** Attempts to make a conversation fit that the model finds too long; each cuts deeper. */
const MAX_SQUEEZES = 3;
/** By so much a conversation must grow before it is compacted of itself again. */
const GROWTH = 1.2;

/** The user asks for a shorter conversation; only while nothing runs. */
export function onCompactRequested(draft: Draft, input: Extract<Input, { type: "compact_requested" }>): void {
  if (draft.state.phase.type !== "idle") {
    return notice(draft, "warning", "compact", "The conversation cannot be compacted while a turn runs.");
  }
  if (draft.state.head === null) return notice(draft, "info", "compact", "There is nothing to compact yet.");
  startCompaction(draft, { trigger: "manual", focus: input.focus, attempt: 1 }, "idle");
}

/**
 * The conversation has passed its budget, so the model was not asked. It is made shorter first, unless that was just
 * tried, or failed twice, or did not help, and the conversation has not grown since: then it is sent as it is.
 */
export function onContextFull(draft: Draft, input: Extract<Input, { type: "context_full" }>): void {
  const { phase, turn, interrupting, compacted } = draft.state;
  if (!turn || !isCalling(phase) || phase.effectId !== input.effectId) return;
  if (interrupting) return endTurn(draft, { type: "interrupted", by: interrupting.by });
  const grown = !compacted || compacted.failures === 1 || input.estimate >= compacted.estimate * GROWTH;
  if (turn.squeezes > 0 || !grown) return callModel(draft, phase.attempt, phase.waitedMs, false);
  squeeze(draft, "auto", "");
}

/** Makes the conversation shorter, then asks the model again; the turn fails when nothing is left to try. */
export function squeeze(draft: Draft, trigger: "auto" | "overflow" | "cut", because: string): void {
  const { turn } = draft.state;
  if (!turn) return;
  const attempt = turn.squeezes + 1;
  if (attempt > MAX_SQUEEZES) return endTooLong(draft, because);
  changeTurn(draft, { squeezes: attempt });
  startCompaction(draft, { trigger, focus: null, attempt }, "call_model");
}

function endTooLong(draft: Draft, because: string): void {
  const { turn } = draft.state;
  if (turn?.limit) return endTurn(draft, { type: "limit", limit: turn.limit });
  const message =
    "the conversation does not fit the model's context window and cannot be made shorter; /clear starts over, or " +
    `choose a model with a larger window${because === "" ? "" : ` (${because})`}`;
  endTurn(draft, { type: "failed", error: { kind: "context_exceeded", message } });
}

/** Starts to shorten what the head stands on; `next` says what follows it. */
export function startCompaction(draft: Draft, wish: CompactionWish, next: "call_model" | "idle"): void {
  const { head, model, turn } = draft.state;
  if (head === null) return;
  const effectId = draft.newId();
  const { trigger, focus, attempt } = wish;
  enter(draft, { type: "compacting", effectId, next, trigger, focus, attempt });
  const runId = turn?.runId ?? null;
  draft.effects.push({ type: "compact", effectId, head, model, runId, trigger, focus, attempt });
}

/**
 * The head moves to the message that cuts the history; without one everything stays as it was, and a conversation
 * that the model refused as too long ends the turn: the same request is never sent twice.
 */
export function onCompacted(draft: Draft, input: Finished): void {
  const { phase } = draft.state;
  if (phase.type !== "compacting" || phase.effectId !== input.effectId) return;
  countUsage(draft, input);
  if (input.warning !== null) notice(draft, "warning", "compact", input.warning);
  else if (!input.summary) {
    notice(draft, "warning", "compact", "The conversation could not be made shorter; it stays as it is.");
  }
  if (input.summary) moveHead(draft, input, input.summary);
  else remember(draft, input.estimate, (draft.state.compacted?.failures ?? 0) + 1);
  if (!draft.state.turn) {
    enter(draft, { type: "idle" });
    return startNext(draft);
  }
  const { trigger, attempt } = phase;
  const useless = !input.summary && (trigger === "overflow" || (trigger === "cut" && attempt > 1));
  if (useless) return endTooLong(draft, input.warning ?? "");
  goOn(draft);
}

function moveHead(draft: Draft, input: Finished, summary: NonNullable<Finished["summary"]>): void {
  draft.facts.push({ type: "message_added", message: summary });
  change(draft, { head: summary.id });
  if (summary.cut?.type === "compacted") change(draft, { droppedThrough: summary.cut.droppedThrough });
  remember(draft, input.estimate, 0);
}

const remember = (draft: Draft, estimate: number, failures: number): void =>
  change(draft, { compacted: { estimate, failures } });

function countUsage(draft: Draft, { usage, model }: Finished): void {
  if (!isKnown(usage)) return;
  const { turn } = draft.state;
  change(draft, {
    usage: addUsage(draft.state.usage, usage),
    turn: turn && { ...turn, usage: addUsage(turn.usage, usage) },
  });
  draft.facts.push({ type: "usage_added", model, purpose: "compaction", usage });
}

import { addMessage, changeTurn, type Draft, enter } from "./draft.ts";
import type { Input } from "./input.ts";
import { countCall, isCalling, textOf } from "./model-reply.ts";
import { callModel, endTurn, wrapUp } from "./turn.ts";

type Failed = Extract<Input, { type: "model_failed" }>;

const MAX_ATTEMPTS = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** Share of a wait that is left to chance, so that many clients do not come back at once. */
const JITTER = 0.25;

/** The model call failed or was cut: again after a while, or the end of the turn with what had arrived. */
export function onModelFailed(draft: Draft, input: Failed): void {
  const { phase, interrupting, turn } = draft.state;
  if (!turn || !isCalling(phase) || phase.effectId !== input.effectId) return;
  countCall(draft, input, phase.startedAt);
  if (interrupting) {
    keepPartial(draft, input, "interrupted");
    return endTurn(draft, { type: "interrupted", by: interrupting.by });
  }
  if (input.retryable && phase.attempt < MAX_ATTEMPTS) return waitAndRetry(draft, input, phase);
  keepPartial(draft, input, "error");
  if (phase.type === "wrapping_up") return endTurn(draft, { type: "limit", limit: phase.limit });
  const cut = input.retryable && input.partial.length > 0;
  endTurn(
    draft,
    cut ? { type: "cut", message: input.error.message } : { type: "failed", error: input.error },
  );
}

function waitAndRetry(
  draft: Draft,
  input: Failed,
  phase: Extract<Draft["state"]["phase"], { type: "calling_model" | "wrapping_up" }>,
): void {
  const effectId = draft.newId();
  const until = draft.now + waitMs(phase.attempt, input.retryAfterMs, draft.random);
  const limit = phase.type === "wrapping_up" ? phase.limit : null;
  changeTurn(draft, { limit: limit ?? draft.state.turn?.limit ?? null });
  enter(draft, {
    type: "waiting_retry",
    effectId,
    until,
    attempt: phase.attempt,
    error: input.error,
    wrappingUp: limit !== null,
  });
  draft.facts.push({ type: "retry_scheduled", attempt: phase.attempt, at: until, error: input.error });
  draft.effects.push({ type: "start_timer", effectId, at: until });
}

/** Doubling waits; what the server asked for is a minimum. Jitter only adds, so that the gaps grow. */
export function waitMs(attempt: number, retryAfterMs: number | null, random: number): number {
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  const base = retryAfterMs === null ? backoff : Math.max(retryAfterMs, 0);
  return Math.round(base * (1 + JITTER * random));
}

export function onTimer(draft: Draft, input: Extract<Input, { type: "timer_fired" }>): void {
  const { phase, turn } = draft.state;
  if (phase.type !== "waiting_retry" || phase.effectId !== input.effectId) return;
  if (phase.wrappingUp && turn?.limit) wrapUp(draft, turn.limit, phase.attempt + 1);
  else callModel(draft, phase.attempt + 1);
}

/** No key for the model: the turn waits for a client that brings one. */
export function onUnreachable(draft: Draft, input: Extract<Input, { type: "model_unreachable" }>): void {
  const { phase, interrupting } = draft.state;
  if (!isCalling(phase) || phase.effectId !== input.effectId) return;
  if (interrupting) return endTurn(draft, { type: "interrupted", by: interrupting.by });
  enter(draft, { type: "needs_client", missing: input.missing });
}

export function onClientArrived(draft: Draft): void {
  if (draft.state.phase.type === "needs_client") callModel(draft);
}

/** Text that had arrived stays in the conversation, marked as cut. */
function keepPartial(draft: Draft, input: Failed, stopReason: "interrupted" | "error"): void {
  const text = textOf(input.partial);
  if (text.trim() === "") return;
  addMessage(draft, {
    role: "assistant",
    kind: "reply",
    origin: "model",
    content: [{ type: "text", text }],
    model: input.model,
    stopReason,
    usage: input.usage,
  });
  changeTurn(draft, { lastText: text });
}

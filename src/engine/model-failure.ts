import type { FailureInfo } from "../protocol/session.ts";
import { type CallingPhase, isCalling } from "./calling.ts";
import { squeeze } from "./compaction.ts";
import { addMessage, change, changeTurn, type Draft, enter, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import { countFailedCall, textOf } from "./model-reply.ts";
import { waitMs } from "./retry.ts";
import { callModel, endAtLimit, endTurn, goOn } from "./turn.ts";

type Failed = Extract<Input, { type: "model_failed" }>;

const MAX_ATTEMPTS = 10;
/** For failures that take long to show, and for a last word that is only a courtesy. */
const FEW_ATTEMPTS = 3;
/** For streams that are torn in mid-text: each attempt is paid for, and the user waits with half an answer. */
const TORN_ATTEMPTS = 5;
const PATIENT: readonly FailureInfo["kind"][] = ["rate_limit", "overloaded", "server", "network"];

/** The model call failed or was cut: again after a while, or the end of the turn with what had arrived. */
export function onModelFailed(draft: Draft, input: Failed): void {
  const { phase, interrupting, turn } = draft.state;
  if (!turn || !isCalling(phase) || phase.effectId !== input.effectId) return;
  countFailedCall(draft, input);
  if (interrupting) {
    keepPartial(draft, input, "interrupted");
    return endTurn(draft, { type: "interrupted", by: interrupting.by });
  }
  const refused = newlyRefused(draft, input);
  if (refused.length > 0) return goOnWithout(draft, refused, phase, input.error);
  if (input.error.kind === "context_exceeded") return squeeze(draft, "overflow", input.error.message);
  if (input.retryable && phase.attempt < attemptsFor(phase, input)) {
    return waitAndRetry(draft, input, phase);
  }
  const kept = keepPartial(draft, input, "error");
  if (phase.type === "wrapping_up") return endTurn(draft, { type: "limit", limit: phase.limit });
  const { error } = input;
  const cut = kept && input.retryable;
  endTurn(draft, cut ? { type: "cut", message: error.message } : { type: "failed", error });
}

const newlyRefused = (draft: Draft, input: Failed): string[] =>
  (input.refusedImages ?? []).filter((hash) => !draft.state.refusedImages?.includes(hash));

/** The same request with words in the place of pictures, for good. Ends, since each can be refused only once. */
function goOnWithout(draft: Draft, hashes: string[], phase: CallingPhase, error: FailureInfo): void {
  change(draft, { refusedImages: [...(draft.state.refusedImages ?? []), ...hashes] });
  const what = hashes.length === 1 ? "a picture" : `${hashes.length} pictures`;
  notice(
    draft,
    "warning",
    "image_refused",
    `The model refused ${what} and is asked without: ${error.message}`,
  );
  callModel(draft, phase.attempt, phase.waitedMs);
}

function attemptsFor(phase: CallingPhase, { error, partial }: Failed): number {
  if (phase.type !== "calling_model" || !PATIENT.includes(error.kind)) return FEW_ATTEMPTS;
  return textOf(partial) === "" ? MAX_ATTEMPTS : TORN_ATTEMPTS;
}

/** A wait that would outlast the time of the turn is not begun. */
function waitAndRetry(draft: Draft, input: Failed, phase: CallingPhase): void {
  const { turn } = draft.state;
  if (!turn) return;
  const { attempt } = phase;
  const waitedMs = waitMs({
    attempt,
    before: phase.waitedMs,
    retryAfterMs: input.retryAfterMs,
    random: draft.random,
  });
  const until = draft.now + waitedMs;
  const wrappingUp = phase.type === "wrapping_up";
  const { maxSeconds } = turn.settings.limits;
  if (!wrappingUp && maxSeconds !== null && until >= turn.startedAt + maxSeconds * 1000) {
    keepPartial(draft, input, "error");
    return endAtLimit(draft, "time", `the model cannot be asked again before it (${input.error.message})`);
  }
  const effectId = draft.newId();
  enter(draft, {
    type: "waiting_retry",
    effectId,
    until,
    attempt: attempt + 1,
    waitedMs,
    error: input.error,
    wrappingUp,
  });
  draft.facts.push({ type: "retry_scheduled", attempt, at: until, error: input.error });
  draft.effects.push({ type: "start_timer", effectId, at: until });
}

/** The wait is over: the same request again, if the turn's time allows. */
export function onTimer(draft: Draft, input: Extract<Input, { type: "timer_fired" }>): void {
  const { phase, turn } = draft.state;
  if (!turn || phase.type !== "waiting_retry" || phase.effectId !== input.effectId) return;
  const { maxSeconds } = turn.settings.limits;
  const late = maxSeconds !== null && draft.now >= turn.startedAt + maxSeconds * 1000;
  if (late && !phase.wrappingUp) return endAtLimit(draft, "time", phase.error.message);
  callModel(draft, phase.attempt, phase.waitedMs);
}

/** No key for the model: the turn waits for a client that brings one. */
export function onUnreachable(draft: Draft, input: Extract<Input, { type: "model_unreachable" }>): void {
  const { phase, interrupting } = draft.state;
  if (!isCalling(phase) || phase.effectId !== input.effectId) return;
  if (interrupting) return endTurn(draft, { type: "interrupted", by: interrupting.by });
  enter(draft, { type: "needs_client", missing: input.missing });
}

/** A client came, perhaps with the key that a parked turn waits for. */
export function onClientArrived(draft: Draft): void {
  if (draft.state.phase.type === "needs_client") goOn(draft);
}

/** Text that had arrived stays in the conversation, marked as cut; false when there was none. */
function keepPartial(draft: Draft, input: Failed, stopReason: "interrupted" | "error"): boolean {
  const text = textOf(input.partial);
  if (text.trim() === "") return false;
  addMessage(draft, {
    role: "assistant",
    kind: "reply",
    origin: "model",
    content: input.partial,
    model: input.model,
    stopReason,
    usage: input.usage,
  });
  changeTurn(draft, { lastText: text });
  return true;
}

import { closeQuestions, showQuestion } from "./approvals.ts";
import { change, type Draft, enter } from "./draft.ts";
import type { Input } from "./input.ts";
import { answerAll, finishCall, storeResults, textResult } from "./results.ts";
import type { InterruptBy } from "./state.ts";
import { interruptedText } from "./texts.ts";
import { afterCall, effectOf } from "./tool-calls.ts";
import { endTurn } from "./turn.ts";

/**
 * Ends the turn as fast as what runs allows: effects are cancelled and their last words awaited, so that text
 * and results that exist are kept. A second interrupt waits for nothing. Waiting prompts are kept, and go along
 * with the next prompt.
 */
export function onInterrupt(draft: Draft, input: Extract<Input, { type: "interrupt" }>): void {
  const { phase, interrupting, turn } = draft.state;
  if (phase.type === "compacting") return stopCompaction(draft, input.by);
  if (!turn) return;
  if (interrupting) return force(draft, interrupting.by);
  const { by } = input;
  change(draft, { interrupting: { by, at: draft.now, promptSince: false } });
  switch (phase.type) {
    case "calling_model":
    case "wrapping_up":
      draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
      return;
    case "running_tools":
      return stopCalls(draft, by);
    case "preparing_tools":
    case "waiting_retry":
      draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
      return force(draft, by);
    case "needs_client":
    case "idle":
      return force(draft, by);
  }
}

/** Calls that run are cancelled and answer for themselves; the others end now. */
function stopCalls(draft: Draft, by: InterruptBy): void {
  closeQuestions(draft);
  const running: string[] = [];
  for (const call of draft.state.calls) {
    if (call.status === "done") continue;
    const effectId = effectOf(call);
    if (effectId === null) {
      finishCall(draft, call, textResult(call.id, "interrupted", interruptedText(by, "before")));
    } else running.push(effectId);
    if (call.status === "awaiting_approval") showQuestion(draft, call);
  }
  if (running.length > 0) draft.effects.push({ type: "cancel", effectIds: running });
  afterCall(draft);
}

/** Ends the turn now; whatever still answers is late. */
function force(draft: Draft, by: InterruptBy): void {
  const when = draft.state.phase.type === "running_tools" ? "during" : "before";
  answerAll(draft, "interrupted", interruptedText(by, when));
  storeResults(draft);
  endTurn(draft, { type: "interrupted", by });
}

function stopCompaction(draft: Draft, by: InterruptBy): void {
  const { phase, turn } = draft.state;
  if (phase.type !== "compacting") return;
  draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
  if (turn) endTurn(draft, { type: "interrupted", by });
  else enter(draft, { type: "idle" });
}

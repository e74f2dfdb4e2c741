import { change, type Draft, enter } from "./draft.ts";
import type { Input } from "./input.ts";
import { answerAll, finishCall, storeResults, textResult } from "./results.ts";
import { afterCall, cancelApprovals } from "./tool-calls.ts";
import { endTurn } from "./turn.ts";

const BEFORE = "Interrupted by the user before it ran.";
const DURING = "Interrupted by the user while it ran; it may have taken effect in part.";

/**
 * Ends the turn as fast as what runs allows: effects are cancelled and their last words awaited, so that text
 * and results that exist are kept. A second interrupt waits for nothing.
 */
export function onInterrupt(draft: Draft, input: Extract<Input, { type: "interrupt" }>): void {
  const { phase, interrupting, turn } = draft.state;
  if (phase.type === "compacting") return stopCompaction(draft, input.by);
  if (!turn) return;
  const by = interrupting?.by ?? input.by;
  change(draft, { interrupting: { by, at: interrupting?.at ?? draft.now } });
  cancelApprovals(draft);
  if (interrupting) return force(draft);
  switch (phase.type) {
    case "calling_model":
    case "wrapping_up":
      draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
      return;
    case "running_tools":
      return stopCalls(draft);
    case "preparing_tools":
    case "waiting_retry":
      draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
      return force(draft);
    case "needs_client":
    case "idle":
      return force(draft);
  }
}

/** Calls that run are cancelled and answer for themselves; the others end now. */
function stopCalls(draft: Draft): void {
  const running: string[] = [];
  for (const call of draft.state.calls) {
    if (call.status === "done") continue;
    const effectId = call.status === "preparing" ? null : call.effectId;
    if (effectId === null) finishCall(draft, call, textResult(call.id, "interrupted", BEFORE));
    else running.push(effectId);
  }
  if (running.length > 0) draft.effects.push({ type: "cancel", effectIds: running });
  afterCall(draft);
}

/** Ends the turn now; whatever still answers is late. */
function force(draft: Draft): void {
  const { interrupting, phase } = draft.state;
  answerAll(draft, "interrupted", phase.type === "running_tools" ? DURING : BEFORE);
  storeResults(draft);
  endTurn(draft, { type: "interrupted", by: interrupting?.by ?? "user" });
}

function stopCompaction(draft: Draft, by: Extract<Input, { type: "interrupt" }>["by"]): void {
  const { phase, turn } = draft.state;
  if (phase.type !== "compacting") return;
  draft.effects.push({ type: "cancel", effectIds: [phase.effectId] });
  if (turn) endTurn(draft, { type: "interrupted", by });
  else enter(draft, { type: "idle" });
}

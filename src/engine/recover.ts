import { closeQuestions } from "./approvals.ts";
import { startCompaction } from "./compaction.ts";
import { type Draft, enter } from "./draft.ts";
import { answerAll, finishCall, storeResults, textResult } from "./results.ts";
import type { Phase } from "./state.ts";
import { UNKNOWN_TEXT } from "./texts.ts";
import { afterCall, effectOf } from "./tool-calls.ts";
import { callModel, endTurn } from "./turn.ts";

/**
 * The first input after a daemon start: every effect of the stored phase is gone. Model calls, preparations and
 * timers are issued anew; what ran is answered as unknown and never run again; questions about calls that had
 * not begun stay open. A turn that is bound to a client goes on too: the daemon interrupts it if the client
 * does not come back.
 */
export function onRecovered(draft: Draft): void {
  const { phase, interrupting, turn } = draft.state;
  if (interrupting && turn) {
    answerAll(draft, "unknown", UNKNOWN_TEXT);
    storeResults(draft);
    return endTurn(draft, { type: "interrupted", by: interrupting.by });
  }
  switch (phase.type) {
    case "idle":
    case "needs_client":
      return;
    case "calling_model":
    case "wrapping_up":
      return callModel(draft, phase.attempt, phase.waitedMs);
    case "waiting_retry":
      return waitAgain(draft, phase);
    case "preparing_tools":
      return prepareAgain(draft);
    case "running_tools":
      return closeRunning(draft);
    case "compacting":
      return startCompaction(draft, phase, phase.next);
  }
}

function waitAgain(draft: Draft, phase: Extract<Phase, { type: "waiting_retry" }>): void {
  const effectId = draft.newId();
  enter(draft, { ...phase, effectId });
  draft.effects.push({ type: "start_timer", effectId, at: phase.until });
}

/** The reply's calls are still `preparing`: nothing was decided or run. */
function prepareAgain(draft: Draft): void {
  const { calls, turn } = draft.state;
  if (!turn) return;
  const effectId = draft.newId();
  enter(draft, { type: "preparing_tools", effectId });
  const blocks = calls.map((call) => ({
    type: "tool_call" as const,
    id: call.id,
    name: call.name,
    input: call.input,
    ...(call.status === "preparing" && call.invalid ? { invalid: call.invalid } : {}),
  }));
  const { interactive } = turn.settings;
  draft.effects.push({ type: "prepare_tools", effectId, runId: turn.runId, calls: blocks, interactive });
}

function closeRunning(draft: Draft): void {
  for (const call of draft.state.calls) {
    if (effectOf(call) === null) continue;
    closeQuestions(draft, call.id);
    finishCall(draft, call, textResult(call.id, "unknown", UNKNOWN_TEXT));
  }
  afterCall(draft);
}

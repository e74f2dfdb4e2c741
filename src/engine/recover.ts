import { change, type Draft, enter, setCall } from "./draft.ts";
import { answerAll, finishCall, storeResults, textResult } from "./results.ts";
import { afterCall, cancelApprovals, resolveApproval } from "./tool-calls.ts";
import { callModel, endTurn, wrapUp } from "./turn.ts";

const UNKNOWN =
  "Outcome unknown: lathe stopped while this ran. It may or may not have taken effect; it was not run again. " +
  "Look at the state of things before you go on.";

/**
 * The first input after a daemon start: every effect of the stored phase is gone. Model calls, preparations and
 * timers are issued anew; what ran is answered as unknown and never run again; open questions stay open.
 */
export function onRecovered(draft: Draft): void {
  const { phase, interrupting, turn } = draft.state;
  if (interrupting && turn) {
    cancelApprovals(draft);
    answerAll(draft, "unknown", UNKNOWN);
    storeResults(draft);
    return endTurn(draft, { type: "interrupted", by: interrupting.by });
  }
  switch (phase.type) {
    case "idle":
    case "needs_client":
      return;
    case "calling_model":
      return callModel(draft, phase.attempt);
    case "wrapping_up":
      return wrapUp(draft, phase.limit, phase.attempt);
    case "waiting_retry": {
      const effectId = draft.newId();
      change(draft, { phase: { ...phase, effectId } });
      draft.effects.push({ type: "start_timer", effectId, at: phase.until });
      return;
    }
    case "preparing_tools":
      return prepareAgain(draft);
    case "running_tools":
      return closeRunning(draft);
    case "compacting":
      return compactAgain(draft);
  }
}

/** The reply's calls are still `preparing`: nothing was decided or run. */
function prepareAgain(draft: Draft): void {
  const { calls, turn } = draft.state;
  if (!turn) return;
  const effectId = draft.newId();
  enter(draft, { type: "preparing_tools", effectId });
  draft.effects.push({
    type: "prepare_tools",
    effectId,
    runId: turn.runId,
    calls: calls.map((call) => ({
      type: "tool_call",
      id: call.id,
      name: call.name,
      input: call.input,
      ...(call.status === "preparing" && call.invalid ? { invalid: call.invalid } : {}),
    })),
    interactive: turn.settings.interactive,
  });
}

function closeRunning(draft: Draft): void {
  for (const call of draft.state.calls) {
    if (call.status === "running") finishCall(draft, call, textResult(call.id, "unknown", UNKNOWN));
    else if (call.status === "awaiting_approval" && call.effectId !== null) {
      const open = draft.state.approvals.find((approval) => approval.id === call.approvalId);
      if (open) resolveApproval(draft, { ...open, status: "cancelled", answeredAt: draft.now });
      finishCall(draft, call, textResult(call.id, "unknown", UNKNOWN));
    } else if (call.status === "preparing") {
      setCall(draft, call);
      finishCall(draft, call, textResult(call.id, "unknown", UNKNOWN));
    }
  }
  afterCall(draft);
}

function compactAgain(draft: Draft): void {
  const { phase, head, model } = draft.state;
  if (phase.type !== "compacting" || head === null) return;
  const effectId = draft.newId();
  enter(draft, { type: "compacting", effectId, next: phase.next });
  draft.effects.push({ type: "compact", effectId, head, model, focus: null });
}

import { change, type Draft, enter, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import { callModel } from "./turn.ts";
import { addUsage, isKnown } from "./usage.ts";

/** The user asks for a shorter conversation; only while nothing runs. */
export function onCompactRequested(draft: Draft, input: Extract<Input, { type: "compact_requested" }>): void {
  const { phase, head, model } = draft.state;
  if (phase.type !== "idle" || head === null)
    return notice(draft, "info", "compact", "There is nothing to compact now.");
  const effectId = draft.newId();
  enter(draft, { type: "compacting", effectId, next: "idle" });
  draft.effects.push({ type: "compact", effectId, head, model, focus: input.focus });
}

/** With a summary the head moves to it; without one everything stays as it was. */
export function onCompacted(draft: Draft, input: Extract<Input, { type: "compaction_finished" }>): void {
  const { phase } = draft.state;
  if (phase.type !== "compacting" || phase.effectId !== input.effectId) return;
  if (isKnown(input.usage)) {
    change(draft, { usage: addUsage(draft.state.usage, input.usage) });
    draft.facts.push({ type: "usage_added", model: input.model, purpose: "compaction", usage: input.usage });
  }
  if (input.warning !== null) notice(draft, "warning", "compact", input.warning);
  if (input.summary) {
    draft.facts.push({ type: "message_added", message: input.summary });
    change(draft, { head: input.summary.id });
  }
  if (phase.next === "call_model" && draft.state.turn) callModel(draft);
  else enter(draft, { type: "idle" });
}

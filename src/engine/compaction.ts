import { change, type Draft, enter, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import { goOn, startNext } from "./turn.ts";
import { addUsage, isKnown } from "./usage.ts";

/** The user asks for a shorter conversation; only while nothing runs. */
export function onCompactRequested(draft: Draft, input: Extract<Input, { type: "compact_requested" }>): void {
  if (draft.state.phase.type !== "idle") {
    return notice(draft, "warning", "compact", "The conversation cannot be compacted while a turn runs.");
  }
  if (draft.state.head === null) return notice(draft, "info", "compact", "There is nothing to compact yet.");
  startCompaction(draft, input.focus, "idle");
}

/** Starts the summary of what the head stands on; `next` says what follows it. */
export function startCompaction(draft: Draft, focus: string | null, next: "call_model" | "idle"): void {
  const { head, model } = draft.state;
  if (head === null) return;
  const effectId = draft.newId();
  enter(draft, { type: "compacting", effectId, focus, next });
  draft.effects.push({ type: "compact", effectId, head, model, focus });
}

/** With a summary the head moves to it; without one everything stays as it was. */
export function onCompacted(draft: Draft, input: Extract<Input, { type: "compaction_finished" }>): void {
  const { phase, turn } = draft.state;
  if (phase.type !== "compacting" || phase.effectId !== input.effectId) return;
  if (isKnown(input.usage)) {
    change(draft, {
      usage: addUsage(draft.state.usage, input.usage),
      turn: turn && { ...turn, usage: addUsage(turn.usage, input.usage) },
    });
    draft.facts.push({ type: "usage_added", model: input.model, purpose: "compaction", usage: input.usage });
  }
  if (input.warning !== null) notice(draft, "warning", "compact", input.warning);
  if (input.summary) {
    draft.facts.push({ type: "message_added", message: input.summary });
    change(draft, { head: input.summary.id });
  } else if (input.warning === null) {
    notice(draft, "warning", "compact", "The conversation could not be summarized; it stays as it is.");
  }
  if (draft.state.turn) return goOn(draft);
  enter(draft, { type: "idle" });
  startNext(draft);
}

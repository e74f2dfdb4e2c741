import { change, type Draft, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import { goOn } from "./turn.ts";

/**
 * Model, mode or title as the user set them; a running turn goes on with the new ones from its next step. A turn
 * that is parked because its model cannot be reached tries the new model at once.
 */
export function onSettings(draft: Draft, input: Extract<Input, { type: "settings_changed" }>): void {
  const { model, mode, title } = input;
  const changed = {
    ...(model !== undefined && model !== draft.state.model ? { model } : {}),
    ...(mode !== undefined && mode !== draft.state.mode ? { mode } : {}),
  };
  if (Object.keys(changed).length === 0 && title === undefined) return;
  change(draft, changed);
  draft.facts.push({ type: "session_changed", ...changed, ...(title === undefined ? {} : { title }) });
  if (changed.model !== undefined && draft.state.phase.type === "needs_client") goOn(draft);
}

/** Starts over: the head is dropped, and prompts that an interrupt had left with it. */
export function onCleared(draft: Draft): void {
  const { phase, queue } = draft.state;
  if (phase.type !== "idle") {
    return notice(draft, "warning", "clear", "The conversation cannot be cleared while a turn runs.");
  }
  change(draft, {
    head: null,
    queue: [],
    droppedThrough: null,
    compacted: undefined,
    todos: undefined,
    skillFolders: undefined,
  });
  for (const prompt of queue) {
    draft.facts.push({ type: "prompt_dequeued", promptId: prompt.id, reason: "removed" });
  }
  draft.facts.push({ type: "session_cleared" });
}

/** Rewind: the head moves to another message of the tree; nothing is deleted. */
export function onHeadMoved(draft: Draft, input: Extract<Input, { type: "head_moved" }>): void {
  if (draft.state.phase.type === "idle") {
    return change(draft, { head: input.head, droppedThrough: null, compacted: undefined });
  }
  notice(draft, "warning", "rewind", "The conversation cannot be rewound while a turn runs.");
}

export function onNoticed(draft: Draft, input: Extract<Input, { type: "noticed" }>): void {
  notice(draft, input.level, input.code, input.text);
}

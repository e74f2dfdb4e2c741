import { change, type Draft, notice } from "./draft.ts";
import type { Input } from "./input.ts";

/** Model, mode or title as the user set them; a running turn goes on with the new ones from its next step. */
export function onSettings(draft: Draft, input: Extract<Input, { type: "settings_changed" }>): void {
  const { model, mode, title } = input;
  const changed = {
    ...(model !== undefined && model !== draft.state.model ? { model } : {}),
    ...(mode !== undefined && mode !== draft.state.mode ? { mode } : {}),
  };
  if (Object.keys(changed).length === 0 && title === undefined) return;
  change(draft, changed);
  draft.facts.push({ type: "session_changed", ...changed, ...(title === undefined ? {} : { title }) });
}

export function onCleared(draft: Draft): void {
  if (draft.state.phase.type !== "idle") {
    return notice(draft, "warning", "clear", "The conversation cannot be cleared while a turn runs.");
  }
  change(draft, { head: null, queue: [] });
  draft.facts.push({ type: "session_cleared" });
}

/** Rewind: the head moves to another message of the tree; nothing is deleted. */
export function onHeadMoved(draft: Draft, input: Extract<Input, { type: "head_moved" }>): void {
  if (draft.state.phase.type === "idle") change(draft, { head: input.head });
}

export function onNoticed(draft: Draft, input: Extract<Input, { type: "noticed" }>): void {
  notice(draft, input.level, input.code, input.text);
}

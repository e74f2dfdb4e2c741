import type { Millis } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import { localTime } from "../local-time.ts";

const MODES: Record<PermissionMode, string> = {
  ask: "Reading passes; edits and commands that change something are put to the user first.",
  "accept-edits": "Reading and edits inside the roots pass; other commands are put to the user first.",
  auto: "What stays inside the sandbox passes; leaving it is put to the user first.",
  "read-only": "Look and plan only: whatever changes something is denied, by the tools and by the sandbox.",
  bypass: "Nothing is put to the user unless a rule says so; the sandbox stays on.",
};

export type PromptReminderInput = {
  now: Millis;
  /** IANA name of the user's zone; the machine's own when absent or unknown. */
  timeZone?: string;
  mode: PermissionMode;
  /** The mode as the model was last told; null when it was not told yet. */
  toldMode: string | null;
  /** What else changed since the last prompt (roots, settings), one sentence each. */
  changes?: readonly string[];
};

/**
 * What a new prompt brings along: the time, and what has changed since the last one. They are stored with the
 * prompt, so the system prompt stays as it is and no request between two prompts carries a new time.
 */
export function promptReminders(input: PromptReminderInput): string[] {
  const texts = [`Now: ${localTime(input.now, input.timeZone)}.`];
  if (input.mode !== input.toldMode) texts.push(modeReminder(input.mode, input.toldMode));
  return [...texts, ...(input.changes ?? [])];
}

function modeReminder(mode: PermissionMode, told: string | null): string {
  const change = told === null ? "is" : `changed from ${told} to`;
  return `The permission mode ${change} ${mode}. ${MODES[mode]}`;
}

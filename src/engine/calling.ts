import type { Phase } from "./state.ts";

/** Both phases that wait for a model's answer. */
export type CallingPhase = Extract<Phase, { type: "calling_model" | "wrapping_up" }>;

export function isCalling(phase: Phase): phase is CallingPhase {
  return phase.type === "calling_model" || phase.type === "wrapping_up";
}

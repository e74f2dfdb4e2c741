import type { Fact } from "../protocol/event.ts";
import type { Effect } from "./effect.ts";
import type { Envelope, Input } from "./input.ts";
import type { EngineState } from "./state.ts";

/** What one input did. */
export type Step = { state: EngineState; facts: Fact[]; effects: Effect[] };

/** Signature of the pure core: no I/O, no clock, no randomness but what the envelope carries. */
export type Transition = (state: EngineState, input: Input, envelope: Envelope) => Step;

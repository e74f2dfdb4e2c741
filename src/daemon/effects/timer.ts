import type { Effect } from "../../engine/effect.ts";
import { delay } from "../../shared/async.ts";
import { beginEffect, endEffect, type SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** Waits until `at`, then says so; a cancelled timer says nothing. */
export async function runTimer(
  effect: Extract<Effect, { type: "start_timer" }>,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<void> {
  const signal = beginEffect(runtime, effect.effectId);
  await delay(Math.max(0, effect.at - ports.clock.now()), signal);
  endEffect(runtime, effect.effectId);
  if (!signal.aborted) runtime.actor.post({ type: "timer_fired", effectId: effect.effectId });
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { World } from "./testing/walk-world.ts";

/** Numbers from a drawn list, over and over: fast-check can then make the list of a failure shorter. */
function diceOf(rolls: readonly number[]) {
  let at = 0;
  return {
    of(sides: number): number {
      const roll = rolls[at % rolls.length] ?? 0;
      at += 1;
      // Mixed with the position, so that a short list does not repeat itself at once.
      return ((Math.imul(roll + at, 2654435761) >>> 7) % 1_000_003) % sides;
    },
  };
}

const seen = { phases: new Set<string>(), outcomes: new Set<string>(), limits: new Set<string>() };

/**
 * Whatever arrives when: every call gets exactly one result, in order, before the next model call; turns begin and
 * end once; no prompt is lost; nothing hangs; the state is small, plain JSON and never changed in place. The
 * checks are in testing/walk-checks.ts.
 */
test("no order of events breaks a promise of the engine", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 5, maxLength: 60 }),
      fc.integer({ min: 10, max: 120 }),
      (rolls, steps) => {
        const world = new World(diceOf(rolls));
        for (let step = 0; step < steps; step++) world.step();
        world.drain();
        for (const fact of world.engine.all.facts) {
          if (fact.type === "phase_changed") seen.phases.add(fact.phase);
          if (fact.type === "limit_reached") seen.limits.add(fact.limit);
          if (fact.type === "turn_finished") seen.outcomes.add(fact.outcome.type);
        }
      },
    ),
    { numRuns: 1000 },
  );
  // The walks went everywhere: else the promises were not tried.
  expect([...seen.phases].sort()).toEqual([
    "calling_model",
    "compacting",
    "idle",
    "needs_client",
    "preparing_tools",
    "running_tools",
    "waiting_retry",
    "wrapping_up",
  ]);
  expect([...seen.outcomes].sort()).toEqual([
    "cut",
    "denied",
    "done",
    "failed",
    "interrupted",
    "limit",
    "refused",
  ]);
  expect([...seen.limits].sort()).toEqual(["cost", "steps", "time", "tokens", "tool_calls"]);
});

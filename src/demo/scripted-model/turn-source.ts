import type { RecordedRequest, Script, Turn } from "./types.ts";

/** Gives the turn for a request, or null when the script has none left. */
export type NextTurn = (request: RecordedRequest, index: number) => Promise<Turn | null>;

/** Plays a script in order; see `ScriptFile` for `when` and `repeatLast`. */
export function turnSource(script: Script): NextTurn {
  if (typeof script === "function") return async (request, index) => script(request, index);
  const { turns, repeatLast = false } = Array.isArray(script) ? { turns: script } : script;
  const waiting = turns.filter((turn) => turn.when !== undefined);
  const inOrder = turns.filter((turn) => turn.when === undefined);
  let next = 0;
  return async (request) => {
    const aside = waiting.findIndex((turn) => request.raw.includes(turn.when?.bodyContains ?? ""));
    if (aside >= 0) return waiting.splice(aside, 1)[0] ?? null;
    const turn = inOrder[next] ?? (repeatLast ? inOrder.at(-1) : undefined);
    next += 1;
    return turn ?? null;
  };
}

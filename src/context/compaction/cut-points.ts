import type { Message } from "../../protocol/message.ts";
import { historyTokens, messageTokens } from "./context-size.ts";
import { compactedBy } from "./shown-history.ts";

/**
 * Indexes at which a shown history may be cut in two: before a reply whose predecessor is closed, or before a
 * prompt that follows a finished answer. So no call loses its result, no paused answer its end, and what the model
 * has not seen yet stays behind the last of them.
 */
export function cutPoints(shown: readonly Message[]): number[] {
  return shown.flatMap((message, index) => (index > 0 && mayBegin(message, shown[index - 1]) ? [index] : []));
}

function mayBegin(message: Message, before: Message | undefined): boolean {
  if (!before) return false;
  if (message.kind === "reply") return before.kind !== "reply";
  if (message.kind !== "prompt" || message.origin !== "user") return false;
  return before.kind === "reply" && before.stopReason !== "pause_turn" && !calls(before);
}

const calls = (message: Message): boolean => message.content.some((block) => block.type === "tool_call");

/**
 * Where to cut: as many of the newest steps stay as fit in `keepTokens` and in a quarter of the whole, at least the
 * last one. Null when nothing that a model wrote would go.
 */
export function chooseCut(shown: readonly Message[], keepTokens: number): number | null {
  const points = cutPoints(shown);
  const most = Math.min(keepTokens, historyTokens(shown) / 4);
  let chosen = points.at(-1) ?? null;
  let tokens = 0;
  for (let index = shown.length - 1; index > 0; index--) {
    tokens += messageTokens(shown[index] as Message);
    if (tokens > most) break;
    if (points.includes(index)) chosen = index;
  }
  if (chosen === null) return null;
  const dropped = shown.slice(0, chosen);
  const worthIt = dropped.some((message) => message.kind === "reply");
  return worthIt ? chosen : null;
}

/** The id through which a cut at `index` drops the chain: of the last dropped message that is no summary. */
export function droppedThrough(shown: readonly Message[], index: number): string | null {
  return shown.slice(0, index).findLast((message) => compactedBy(message) === null)?.id ?? null;
}

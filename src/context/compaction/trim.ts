import type { CallId } from "../../protocol/ids.ts";
import type { Message, ToolResultBlock } from "../../protocol/message.ts";
import { estimateTokens } from "../estimate.ts";
import { blockTokens } from "./context-size.ts";
import { callNames, isTrimmable, pointerText } from "./shown-history.ts";

/** Results up to and including `through` become pointers, which frees so many tokens. */
export type Trim = { through: CallId; results: number; freed: number };

/** The newest results stay whole (CONTRACT O1). */
const KEPT_RESULTS = 3;

/**
 * Which results of a shown history to trim: all but the newest three and those that the model has not seen yet;
 * with `all` every one. Null when nothing would become shorter.
 */
export function planTrim(shown: readonly Message[], all = false): Trim | null {
  const seen = shown.slice(
    0,
    shown.findLastIndex((message) => message.kind === "reply"),
  );
  const told = resultsOf(shown);
  const trimmable = all ? told : resultsOf(seen).slice(0, Math.max(0, told.length - KEPT_RESULTS));
  const names = callNames(shown);
  let through: CallId | null = null;
  let results = 0;
  let freed = 0;
  for (const result of trimmable) {
    if (!isTrimmable(result)) continue;
    const pointer = estimateTokens(pointerText(names.get(result.callId) ?? "a tool", result.callId));
    through = result.callId;
    results += 1;
    freed += blockTokens(result) - pointer;
  }
  return through === null ? null : { through, results, freed };
}

function resultsOf(messages: readonly Message[]): ToolResultBlock[] {
  return messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_result"));
}

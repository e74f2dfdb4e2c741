import type { LimitKind } from "../../protocol/session.ts";

const SPENT: Record<LimitKind, string> = {
  steps: "The limit of model calls for this turn is reached.",
  tool_calls: "The limit of tool calls for this turn is reached.",
  tokens: "The token budget of this turn is spent.",
  cost: "The cost budget of this turn is spent.",
  time: "The time of this turn is up.",
};

/** Asks for a last answer without tools, saying which limit ended the work. */
export function wrapUpText(limit: LimitKind | null): string {
  const reason = limit === null ? "This turn has to end now." : SPENT[limit];
  return `${reason} Do not call tools. In a few lines: what was done, what is still open, and what to do next.`;
}

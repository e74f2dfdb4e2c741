import { usageWords } from "../blocks/numbers.ts";
import type { View } from "../view-state/view.ts";

/** The last words: tokens and cost of the session, and how to go on with it. */
export function farewell(view: View): string {
  const { session, turn } = view;
  if (!session) return "";
  const running = turn ? "the turn goes on without this screen\n" : "";
  const { usage } = session;
  const used =
    usage.input === null && usage.output === null ? "tokens: 0 in, 0 out" : `tokens: ${usageWords(usage)}`;
  const known = session.messageCount > 0 || usage.output !== null || turn !== null;
  return `Goodbye. ${used}\n${running}${known ? `go on with: lathe -r ${session.id}\n` : ""}`;
}

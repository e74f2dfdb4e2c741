import type { ContentBlock, Message, StopReason } from "../../protocol/message.ts";
import { historyTokens, messageTokens } from "./context-size.ts";
import { cutPoints } from "./cut-points.ts";

/** What the model is asked, after the conversation as it stands. `focus` null or blank: nothing in particular. */
export function summaryAsk(focus: string | null): string {
  const wish = focus === null || focus.trim() === "" ? "" : `\nFocus on: ${focus.trim()}`;
  return `The conversation above is about to be replaced by a summary, and you will go on from that alone. Write it now:
1. what was asked for, and what was done so far (files, commands, results)
2. the current state: what works, what fails, with exact names, paths, numbers and error texts
3. key decisions and the reasons for them, and what was ruled out
4. what is open, and the next step
Do not call tools and do not go on with the task; answer with the summary only, at most 1200 words.${wish}`;
}

export type SummaryVerdict = { ok: true; text: string } | { ok: false; problem: string };

/** Whether an answer can stand for a conversation. */
export function judgeSummary(content: readonly ContentBlock[], stopReason: StopReason): SummaryVerdict {
  if (content.some((block) => block.type === "tool_call")) {
    return { ok: false, problem: "the model called a tool instead of writing it" };
  }
  if (stopReason !== "end_turn" && stopReason !== "max_tokens" && stopReason !== "stop_sequence") {
    return { ok: false, problem: `the model did not finish it (${stopReason})` };
  }
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  return text.trim() === "" ? { ok: false, problem: "it was empty" } : { ok: true, text: text.trim() };
}

/**
 * A history that fits in `limit` tokens, for a summary of one that does not: whole steps are left out in the middle,
 * and a note says so. The history itself when it fits.
 */
export function cutMiddle(shown: readonly Message[], limit: number): Message[] {
  if (historyTokens(shown) <= limit) return [...shown];
  const points = cutPoints(shown);
  const head =
    points.findLast((point) => historyTokens(shown.slice(0, point)) <= limit * 0.3) ?? points[0] ?? 0;
  const last = points.at(-1) ?? shown.length;
  const tail =
    points.find((point) => point >= head && historyTokens(shown.slice(point)) <= limit * 0.6) ?? last;
  const left = shown.slice(head, tail);
  const first = left[0];
  if (!first) return [...shown];
  const steps = left.filter((message) => message.kind === "reply").length;
  const tokens = Math.round(left.reduce((sum, message) => sum + messageTokens(message), 0) / 1000);
  const text = `[${steps} steps (about ${tokens},000 tokens) are left out here: they do not fit]`;
  const note: Message = {
    id: `${first.id}-cut`,
    sessionId: first.sessionId,
    parentId: null,
    runId: null,
    role: "user",
    kind: "prompt",
    origin: "harness",
    content: [{ type: "text", text }],
    createdAt: first.createdAt,
  };
  return [...shown.slice(0, head), note, ...shown.slice(tail)];
}

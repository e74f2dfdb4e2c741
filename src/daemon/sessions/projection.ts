import type { EngineState } from "../../engine/state.ts";
import type { Fact } from "../../protocol/event.ts";
import type { SessionInfo, SessionStatus } from "../../protocol/session.ts";

/** The listing row of a session after the facts of one input. Pure. */
export function projectSession(
  session: SessionInfo,
  state: EngineState,
  facts: readonly Fact[],
  now: number,
): SessionInfo {
  const next: SessionInfo = {
    ...session,
    model: state.model,
    mode: state.mode,
    head: state.head,
    usage: state.usage,
    status: statusOf(state),
    updatedAt: now,
  };
  for (const fact of facts) {
    if (fact.type === "message_added") {
      next.messageCount += 1;
      if (next.title === "" && fact.message.kind === "prompt" && fact.message.origin === "user") {
        next.title = titleOf(fact.message.content);
      }
    } else if (fact.type === "session_changed") {
      if (fact.title !== undefined) next.title = fact.title;
      if (fact.cwd !== undefined) next.cwd = fact.cwd;
      if (fact.roots !== undefined) next.roots = fact.roots;
    }
  }
  return next;
}

function statusOf(state: EngineState): SessionStatus {
  if (state.phase.type === "idle") return "idle";
  if (state.phase.type === "needs_client") return "needs_client";
  return state.calls.some((call) => call.status === "awaiting_approval") ? "waiting_approval" : "working";
}

const TITLE_LENGTH = 80;

/** A title from the first prompt's text: its first line, cut at a word. */
function titleOf(content: readonly { type: string; text?: string }[]): string {
  const text = content.find((block) => block.type === "text")?.text ?? "";
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH - 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}

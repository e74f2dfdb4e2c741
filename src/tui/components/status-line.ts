import type { Usage } from "../../protocol/message.ts";
import { stripControls } from "../../shared/text.ts";
import { cost, inputTokens, seconds, tokens } from "../blocks/numbers.ts";
import { sandboxWords } from "../blocks/render-block.ts";
import type { Frame } from "../markdown/frame.ts";
import { cutLine, type Line, span } from "../text/line.ts";
import type { View } from "../view-state/view.ts";

/** Model, mode, sandbox, tokens and cost; `hint` stands first when there is one. */
export function statusLine(view: View, hint: string | null, frame: Frame): Line {
  const dot = span("dim", ` ${frame.glyphs.dot} `);
  const parts: Line[] = [];
  if (hint !== null) parts.push([span("warning", hint)]);
  const { session, sandbox } = view;
  if (view.connection === "connecting") parts.push([span("dim", "starting")]);
  if (view.connection === "lost") parts.push([span("warning", "daemon gone, connecting again")]);
  if (session) {
    parts.push([span("dim", stripControls(session.model))]);
    parts.push([span(session.mode === "bypass" ? "warning" : "dim", session.mode)]);
    if (sandbox) {
      const words =
        sandbox.type === "unavailable"
          ? { text: "no sandbox: commands refused", style: "error" as const }
          : sandboxWords(sandbox);
      parts.push([span(words.style === "ok" ? "dim" : words.style, words.text)]);
    }
    const { usage } = session;
    if (usage.input !== null || usage.output !== null) parts.push([span("dim", shortUsage(usage))]);
  }
  const line = parts.flatMap((part, index) => (index === 0 ? part : [dot, ...part]));
  return cutLine([span("plain", "  "), ...line], frame.width, frame.glyphs.ellipsis);
}

/** As `usageWords`, without what is not known. */
function shortUsage(usage: Usage): string {
  const words = `${tokens(inputTokens(usage))} in, ${tokens(usage.output)} out`;
  return usage.cost === null ? words : `${words}, ${cost(usage.cost)}`;
}

/** What the turn is doing, for how long, and how to stop it. */
export function workingLine(view: View, now: number, spin: number, frame: Frame): Line | null {
  if (!view.turn) return null;
  const { glyphs } = frame;
  const mark = glyphs.running[spin % glyphs.running.length] ?? "";
  const stop = view.turn.interrupting ? "Ctrl-C again leaves" : "Esc interrupts";
  const parts = [doing(view, now), stop, seconds(now - view.turn.startedAt)];
  const characters = view.streaming?.received.length ?? 0;
  // Four characters a token is what people take for a rule of thumb; the true count comes with the answer.
  if (characters > 0) parts.push(`about ${tokens(Math.ceil(characters / 4))} tokens`);
  return cutLine(
    [span("accent", `${mark} `), span("dim", parts.join(` ${glyphs.dot} `))],
    frame.width,
    glyphs.ellipsis,
  );
}

function doing(view: View, now: number): string {
  if (view.turn?.interrupting) return "interrupting";
  if (view.retry) {
    const wait = Math.max(0, Math.ceil((view.retry.at - now) / 1000));
    return `${view.retry.message}; attempt ${view.retry.attempt + 1}${wait > 0 ? ` in ${wait}s` : ""}`;
  }
  if (view.approvals.length > 0) return "waiting for your answer";
  const calling = view.streaming?.calling;
  if (calling)
    return `writing a call of ${stripControls(calling.name)} (${tokens(calling.chars)} characters)`;
  switch (view.phase) {
    case "running_tools":
    case "preparing_tools":
      return "running tools";
    case "compacting":
      return "summarising the conversation";
    case "wrapping_up":
      return "wrapping up";
    case "waiting_retry":
      return "waiting to try again";
    case "needs_client":
      return "needs a key";
    default:
      return view.streaming?.received ? "answering" : view.streaming?.thinking ? "thinking" : "working";
  }
}

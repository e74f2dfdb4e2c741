import type { Fact, NumberedFact } from "../../protocol/event.ts";
import type { Message } from "../../protocol/message.ts";
import type { CallRecord } from "../../protocol/session.ts";
import { stripControls } from "../../shared/text.ts";
import type { Block, DoneCall } from "../blocks/block.ts";
import { callSubject, resultText } from "../blocks/call-lines.ts";
import { seconds, usageWords } from "../blocks/numbers.ts";
import { countWords } from "../blocks/render-block.ts";
import { addUsage } from "./add-usage.ts";
import { endMessage } from "./stream-text.ts";
import { type LiveCall, show, type View } from "./view.ts";

/** The view after one more fact. */
export function reduceFact(view: View, { fact, at }: NumberedFact): View {
  switch (fact.type) {
    case "session_created":
      return view;
    case "session_changed":
      return sessionChanged(view, fact);
    case "session_cleared":
      return show(
        { ...view, streaming: null, calls: [], todos: [] },
        {
          type: "notice",
          level: "info",
          text: "cleared: the model starts from its instructions; nothing was deleted",
        },
      );
    case "turn_started":
      return { ...view, turn: { startedAt: at, interrupting: false }, retry: null };
    case "message_added":
      return messageAdded(view, fact.message);
    case "prompt_queued":
      return { ...view, queue: [...view.queue.filter((item) => item.id !== fact.prompt.id), fact.prompt] };
    case "prompt_dequeued":
      return { ...view, queue: view.queue.filter((item) => item.id !== fact.promptId) };
    case "phase_changed":
      return { ...view, phase: fact.phase, retry: fact.phase === "waiting_retry" ? view.retry : null };
    case "call_changed":
      return callChanged(view, fact.call);
    case "approval_requested":
      return {
        ...view,
        approvals: [...view.approvals.filter((item) => item.id !== fact.approval.id), fact.approval],
      };
    case "approval_resolved":
      return show(
        { ...view, approvals: view.approvals.filter((item) => item.id !== fact.approval.id) },
        { type: "answered", approval: fact.approval },
      );
    case "retry_scheduled":
      return {
        ...view,
        retry: { attempt: fact.attempt, at: fact.at, message: stripControls(fact.error.message) },
      };
    case "limit_reached":
      return show(view, { type: "notice", level: "warning", text: fact.message });
    case "notice":
      return show(view, { type: "notice", level: fact.level, text: fact.text });
    case "usage_added":
      return view.session
        ? { ...view, session: { ...view.session, usage: addUsage(view.session.usage, fact.usage) } }
        : view;
    case "turn_finished":
      return turnFinished(view, fact);
    case "todos_changed":
      return { ...view, todos: fact.items };
    case "skill_loaded":
      return show(view, { type: "notice", level: "info", text: `skill ${fact.name} loaded` });
    case "decision_recorded":
    case "grant_added":
    case "file_changed":
      return view;
  }
}

function sessionChanged(view: View, fact: Extract<Fact, { type: "session_changed" }>): View {
  const { type: _, ...changes } = fact;
  const session = view.session ? { ...view.session, ...changes } : null;
  const words = [
    ...(changes.model === undefined ? [] : [`model ${changes.model}`]),
    ...(changes.mode === undefined ? [] : [`mode ${changes.mode}`]),
  ];
  const next = { ...view, session };
  return words.length === 0 ? next : show(next, { type: "notice", level: "info", text: words.join(", ") });
}

function messageAdded(view: View, message: Message): View {
  const texts = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (message.kind === "prompt") {
    const images = message.content.filter((block) => block.type === "image").length;
    const text = [...texts, ...(images > 0 ? [`[${images} image${images > 1 ? "s" : ""}]`] : [])].join("\n");
    return message.origin === "user" ? show(view, { type: "prompt", text }) : view;
  }
  if (message.kind === "reply") {
    const thinking = message.content
      .flatMap((block) => (block.type === "thinking" ? [block.text] : []))
      .join("\n");
    return endMessage(view, texts.join(""), stripControls(thinking));
  }
  if (message.kind === "summary") {
    // Shortened results are nothing to tell of: they happen every few steps.
    if (message.cut?.type === "trimmed") return view;
    return show(view, {
      type: "notice",
      level: "info",
      text: "the conversation was summarised to make room",
    });
  }
  return view;
}

/** Ended calls go to the scrollback in the order in which the model made them. */
function callChanged(view: View, call: CallRecord): View {
  const known = view.calls.some((live) => live.call.id === call.id);
  const callCount = known ? view.callCount : view.callCount + 1;
  const calls: LiveCall[] = known
    ? view.calls.map((live) => (live.call.id === call.id ? { ...live, call } : live))
    : [...view.calls, { number: callCount, call }];
  const open = calls.findIndex((live) => live.call.status !== "done");
  const ended = open < 0 ? calls : calls.slice(0, open);
  const blocks: Block[] = ended.flatMap(({ number, call: one }) =>
    one.status === "done" ? [{ type: "call", number, call: one } as const] : [],
  );
  const next: View = {
    ...view,
    callCount,
    calls: calls.slice(ended.length),
    progress: view.progress?.callId === call.id && call.status === "done" ? null : view.progress,
    lastOutput: call.status === "done" ? outputOf(call) : view.lastOutput,
  };
  return show(next, ...blocks);
}

function outputOf(call: DoneCall): View["lastOutput"] {
  const { display } = call.result;
  const text = display?.type === "diff" ? stripControls(display.patch) : resultText(call.result);
  return { title: `${call.name} ${callSubject(call.input)}`, text };
}

function turnFinished(view: View, fact: Extract<Fact, { type: "turn_finished" }>): View {
  // A turn that was cut may leave text that no message holds.
  const ended = view.streaming ? endMessage(view, view.streaming.received, "") : view;
  const facts = `${countWords(fact.steps, fact.toolCalls)}, ${seconds(fact.durationMs)}; ${usageWords(fact.usage)}`;
  const left: Block[] = ended.calls.flatMap(({ number, call }) =>
    call.status === "done" ? [{ type: "call", number, call } as const] : [],
  );
  return show({ ...ended, turn: null, phase: "idle", calls: [], progress: null, retry: null }, ...left, {
    type: "turn_end",
    outcome: fact.outcome,
    facts,
  });
}

import type { Delta } from "../../protocol/event.ts";
import type { SessionSnapshot } from "../../protocol/session.ts";
import { stripControls } from "../../shared/text.ts";
import { reduceFact } from "./reduce-fact.ts";
import { addText, addThinking } from "./stream-text.ts";
import { newStreaming, show, type View, type ViewEvent } from "./view.ts";

/** The next view. Pure: the same events give the same screen. */
export function reduce(view: View, event: ViewEvent): View {
  switch (event.type) {
    case "fact":
      return reduceFact(view, event.fact);
    case "delta":
      return reduceDelta(view, event.delta);
    case "snapshot":
      return reduceSnapshot(view, event);
    case "lost":
      return show(
        { ...view, connection: "lost" },
        { type: "notice", level: "warning", text: `the daemon is gone (${event.reason}); connecting again` },
      );
    case "reconnected":
      return show(
        { ...view, connection: "open" },
        { type: "notice", level: "info", text: "connected again" },
      );
    case "interrupting":
      return view.turn ? { ...view, turn: { ...view.turn, interrupting: true } } : view;
    case "show":
      return show(view, event.block);
    case "taken":
      return { ...view, finished: view.finished.slice(event.count) };
  }
}

function reduceDelta(view: View, delta: Delta): View {
  switch (delta.type) {
    case "text":
      return addText(view, delta.effectId, delta.text);
    case "thinking":
      return addThinking(view, delta.effectId, delta.text);
    case "tool_call": {
      const streaming = view.streaming ?? newStreaming(delta.effectId);
      return { ...view, streaming: { ...streaming, calling: { name: delta.name, chars: delta.chars } } };
    }
    case "progress":
      return {
        ...view,
        progress: { callId: delta.callId, text: stripControls(delta.text).trimEnd().slice(-2000) },
      };
    case "restarted":
      return restarted(view);
  }
}

/** The model begins its answer anew; what was written stays above, so say so. */
function restarted(view: View): View {
  if (!view.streaming || view.streaming.received === "") return view;
  return show(
    { ...view, streaming: null },
    { type: "notice", level: "warning", text: "the answer was cut and starts again:" },
  );
}

function reduceSnapshot(view: View, event: Extract<ViewEvent, { type: "snapshot" }>): View {
  const { snapshot } = event;
  const first = view.session === null || view.session.id !== snapshot.session.id;
  const running = snapshot.phase !== "idle";
  let next: View = {
    ...view,
    session: snapshot.session,
    sandbox: snapshot.sandbox,
    connection: "open",
    phase: snapshot.phase,
    queue: snapshot.queue,
    approvals: snapshot.approvals,
    todos: snapshot.todos ?? [],
    skills: (snapshot.skills ?? []).map((skill) => skill.name),
    turn: running ? (view.turn ?? { startedAt: snapshot.session.updatedAt, interrupting: false }) : null,
    calls: mergeCalls(view, snapshot),
  };
  next = { ...next, callCount: Math.max(view.callCount, ...next.calls.map((live) => live.number), 0) };
  if (first) next = { ...next, finished: [...opening(next, event), ...next.finished] };
  return snapshot.streaming
    ? catchUp(next, snapshot.streaming)
    : { ...next, streaming: running ? next.streaming : null };
}

function opening(view: View, event: Extract<ViewEvent, { type: "snapshot" }>): View["finished"] {
  const { session, sandbox } = event.snapshot;
  return [
    {
      type: "welcome",
      version: view.version,
      cwd: session.cwd,
      model: session.model,
      mode: session.mode,
      sandbox,
      sessionId: session.id,
      resumed: event.resumed,
    },
    ...(event.hasEarlier
      ? [
          {
            type: "notice",
            level: "info",
            text: `earlier messages: lathe sessions show ${session.id}`,
          } as const,
        ]
      : []),
  ];
}

function mergeCalls(view: View, snapshot: SessionSnapshot): View["calls"] {
  let count = view.callCount;
  return snapshot.calls.map((call) => {
    const known = view.calls.find((live) => live.call.id === call.id);
    return { number: known?.number ?? ++count, call };
  });
}

/** What streams, as the daemon has it: adds what this screen has not seen of it. */
function catchUp(view: View, streaming: NonNullable<SessionSnapshot["streaming"]>): View {
  const have = view.streaming?.effectId === streaming.effectId ? view.streaming : null;
  const text = stripControls(streaming.text);
  if (have && !text.startsWith(have.received)) {
    return addText({ ...restarted(view), streaming: null }, streaming.effectId, text);
  }
  const base = have ? view : { ...view, streaming: newStreaming(streaming.effectId) };
  const thought = base.streaming?.thinking ?? "";
  const more = addThinking(base, streaming.effectId, streaming.thinking.slice(thought.length));
  return addText(more, streaming.effectId, text.slice(have?.received.length ?? 0));
}

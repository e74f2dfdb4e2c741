import { stripControls } from "../../shared/text.ts";
import { advance, finish } from "../markdown/stream.ts";
import { newStreaming, type Streaming, show, type View } from "./view.ts";

/** Adds text of the model; blocks that it finishes go to the scrollback. */
export function addText(view: View, effectId: string, raw: string): View {
  const text = stripControls(raw);
  if (text === "") return view;
  const before = streamOf(view, effectId);
  const ready = before.received === "" ? closeThinking(view, before) : view;
  const { stream, parts } = advance(before.text, text);
  const streaming = { ...before, received: before.received + text, text: stream, calling: null };
  return show(
    { ...ready, streaming, retry: null },
    ...parts.map((part) => ({ type: "part", part }) as const),
  );
}

export function addThinking(view: View, effectId: string, raw: string): View {
  const text = stripControls(raw);
  if (text === "") return view;
  const before = streamOf(view, effectId);
  return { ...view, retry: null, streaming: { ...before, thinking: before.thinking + text } };
}

/** The message is stored: writes what of it was not written yet. */
export function endMessage(view: View, text: string, thinking: string): View {
  const whole = stripControls(text);
  const before = view.streaming ?? newStreaming("");
  const missing = whole.startsWith(before.received) ? whole.slice(before.received.length) : "";
  const withThinking = before.thinking === "" && before.received === "" ? { ...before, thinking } : before;
  const started = { ...view, streaming: withThinking };
  const added =
    missing === ""
      ? before.received === ""
        ? closeThinking(started, withThinking)
        : started
      : addText(started, before.effectId, missing);
  const rest = added.streaming ? finish(added.streaming.text) : [];
  return show({ ...added, streaming: null }, ...rest.map((part) => ({ type: "part", part }) as const));
}

function streamOf(view: View, effectId: string): Streaming {
  return view.streaming?.effectId === effectId ? view.streaming : newStreaming(effectId);
}

function closeThinking(view: View, streaming: Streaming): View {
  return streaming.thinking.trim() === "" ? view : show(view, { type: "thinking", text: streaming.thinking });
}

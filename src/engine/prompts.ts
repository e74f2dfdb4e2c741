import { change, type Draft } from "./draft.ts";
import type { Input } from "./input.ts";
import type { WaitingPrompt } from "./state.ts";
import { startTurn, takeFromQueue } from "./turn.ts";

/**
 * A prompt starts a turn, or waits while one runs. After an interrupt the prompts that still wait go along
 * with the next one: an interrupt drops nothing and starts nothing by itself. One that comes while the
 * interrupted turn is still ending is that next one.
 */
export function onPrompt(draft: Draft, input: Extract<Input, { type: "prompt" }>): void {
  const prompt: WaitingPrompt = {
    id: input.promptId,
    delivery: input.delivery,
    text: input.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    at: draft.now,
    content: input.content,
    settings: input.settings,
  };
  const { phase, queue, interrupting } = draft.state;
  if (phase.type === "idle") {
    takeFromQueue(draft, queue);
    return startTurn(draft, [...queue, prompt]);
  }
  change(draft, { queue: [...queue, prompt] });
  if (interrupting) change(draft, { interrupting: { ...interrupting, promptSince: true } });
  const { content: _content, settings: _settings, ...shown } = prompt;
  draft.facts.push({ type: "prompt_queued", prompt: shown });
}

/** Takes back a prompt that still waits. */
export function onUnqueue(draft: Draft, input: Extract<Input, { type: "unqueue" }>): void {
  const kept = draft.state.queue.filter((prompt) => prompt.id !== input.promptId);
  if (kept.length === draft.state.queue.length) return;
  change(draft, { queue: kept });
  draft.facts.push({ type: "prompt_dequeued", promptId: input.promptId, reason: "removed" });
}

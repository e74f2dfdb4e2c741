import { change, type Draft } from "./draft.ts";
import type { Input } from "./input.ts";
import type { WaitingPrompt } from "./state.ts";
import { startTurn } from "./turn.ts";

const PREVIEW = 200;

/**
 * A prompt starts a turn, or waits while one runs. After an interrupt the prompts that still wait go along
 * with the next one: an interrupt drops nothing and starts nothing by itself.
 */
export function onPrompt(draft: Draft, input: Extract<Input, { type: "prompt" }>): void {
  const text = input.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const prompt: WaitingPrompt = {
    id: input.promptId,
    delivery: input.delivery,
    text: text.slice(0, PREVIEW).toWellFormed(),
    at: draft.now,
    content: input.content,
    settings: input.settings,
  };
  if (draft.state.turn === null && draft.state.phase.type === "idle") {
    const waiting = draft.state.queue;
    change(draft, { queue: [] });
    for (const earlier of waiting) {
      draft.facts.push({ type: "prompt_dequeued", promptId: earlier.id, reason: "delivered" });
    }
    startTurn(draft, [...waiting, prompt]);
    return;
  }
  change(draft, { queue: [...draft.state.queue, prompt] });
  const { content: _content, settings: _settings, ...shown } = prompt;
  draft.facts.push({ type: "prompt_queued", prompt: shown });
}

export function onUnqueue(draft: Draft, input: Extract<Input, { type: "unqueue" }>): void {
  const kept = draft.state.queue.filter((prompt) => prompt.id !== input.promptId);
  if (kept.length === draft.state.queue.length) return;
  change(draft, { queue: kept });
  draft.facts.push({ type: "prompt_dequeued", promptId: input.promptId, reason: "removed" });
}

import type { ContentBlock, Message, Usage } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { estimateTokens } from "../estimate.ts";
import type { ShownHistory } from "./shown-history.ts";

type Prefix = { system: string; tools: ToolSpec[] };

/** Output tokens that a summary may have; room for it is reserved beforehand. */
export const SUMMARY_TOKENS = 2000;
/** Where the window is not known (CONTRACT O2). */
const UNKNOWN_WINDOW_BUDGET = 50_000;
const IMAGE_TOKENS = 1600;
const BLOCK_TOKENS = 8;

/**
 * Tokens that a request may have before older parts of the conversation have to go: a share of the model's
 * window, with room left for an answer and for the summary.
 */
export function contextBudget(model: Pick<ModelRef, "contextWindow" | "maxOutput">, share: number): number {
  const { contextWindow, maxOutput } = model;
  if (contextWindow === null) return UNKNOWN_WINDOW_BUDGET;
  const reserve = Math.min(maxOutput + SUMMARY_TOKENS, contextWindow / 2);
  return Math.floor(Math.min(contextWindow * share, contextWindow - reserve));
}

/** Output tokens to ask for: never more than half of the window, or the answer alone would not fit. */
export function outputLimit(model: Pick<ModelRef, "contextWindow" | "maxOutput">): number {
  if (model.contextWindow === null) return model.maxOutput;
  return Math.max(1, Math.min(model.maxOutput, Math.floor(model.contextWindow / 2)));
}

/** `estimate` is made from the texts alone; `tokens` trusts what the model reported of its last request. */
export type ContextSize = { tokens: number; estimate: number };

/**
 * Tokens of a request for this history. The usage of the newest reply counts, if the history was not cut since and
 * the same model made it; what came after it is estimated. Without one everything is.
 */
export function contextSize(shown: ShownHistory, prefix: Prefix, modelId: string): ContextSize {
  const { messages, freshFrom } = shown;
  const estimate = prefixTokens(prefix) + historyTokens(messages);
  const at = messages.findLastIndex((message) => message.kind === "reply" && message.usage !== undefined);
  const reply = messages[at];
  const reported = reply?.usage && reply.model === modelId ? reportedTokens(reply.usage) : null;
  if (reported === null || at < freshFrom) return { tokens: estimate, estimate };
  return { tokens: reported + historyTokens(messages.slice(at + 1)), estimate };
}

/**
 * True when a request for this history is surely within `budget`, told without looking at old texts: no text has
 * more tokens than characters.
 */
export function surelyWithin(shown: ShownHistory, prefix: Prefix, modelId: string, budget: number): boolean {
  const { messages, freshFrom } = shown;
  let chars = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message;
    if (message.kind === "reply" && at >= freshFrom && message.model === modelId && message.usage) {
      const reported = reportedTokens(message.usage);
      if (reported !== null) return reported + chars <= budget;
    }
    chars += mostTokens(message);
    if (chars > budget) return false;
  }
  return chars + prefix.system.length + JSON.stringify(prefix.tools).length <= budget;
}

function mostTokens(message: Message): number {
  return message.content.reduce((sum, block) => {
    const parts = block.type === "tool_result" ? block.content : [block];
    return parts.reduce((total, part) => total + mostOf(part), sum + BLOCK_TOKENS * 3);
  }, 0);
}

function mostOf(part: ContentBlock): number {
  if (part.type === "image") return IMAGE_TOKENS;
  if (part.type === "tool_call") return part.name.length + JSON.stringify(part.input).length;
  return part.type === "tool_result" ? 0 : part.text.length;
}

function reportedTokens(usage: Usage): number | null {
  if (usage.input === null) return null;
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) + (usage.output ?? 0);
}

const prefixes = new WeakMap<object, number>();

/** Tokens of system prompt and tool list. */
export function prefixTokens(prefix: Prefix): number {
  const known = prefixes.get(prefix);
  if (known !== undefined) return known;
  const tokens = estimateTokens(prefix.system) + estimateTokens(JSON.stringify(prefix.tools));
  prefixes.set(prefix, tokens);
  return tokens;
}

export function historyTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

const counted = new WeakMap<Message, number>();

/** Tokens of one message, without what wires add around it. Counted once: messages never change. */
export function messageTokens(message: Message): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = message.content.reduce((sum, block) => sum + blockTokens(block), 0);
  counted.set(message, tokens);
  return tokens;
}

/** Tokens of one block. */
export function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case "text":
    case "reminder":
    case "thinking":
      return BLOCK_TOKENS + textTokens(block.text);
    case "image":
      return IMAGE_TOKENS;
    case "tool_call":
      return BLOCK_TOKENS * 3 + estimateTokens(block.name) + textTokens(JSON.stringify(block.input));
    case "tool_result":
      return block.content.reduce((sum, part) => sum + blockTokens(part), BLOCK_TOKENS * 2);
  }
}

const SAMPLE_CHARS = 2000;
const SAMPLES = 4;

/** Long texts are estimated by samples: reading all of each would cost more than it tells. */
function textTokens(text: string): number {
  if (text.length <= SAMPLE_CHARS * SAMPLES) return estimateTokens(text);
  const gap = (text.length - SAMPLE_CHARS) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const at = Math.floor(sample * gap);
    tokens += estimateTokens(text.slice(at, at + SAMPLE_CHARS));
  }
  return Math.ceil((tokens * text.length) / (SAMPLE_CHARS * SAMPLES));
}

import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { FailureInfo } from "../../protocol/session.ts";

const REFUSALS: readonly (number | undefined)[] = [400, 413, 415, 422];

/**
 * The pictures that a vendor's refusal is about, by hash; empty when it is about something else. Vendors do not
 * say which picture they mean in any common way: it is one that no model has answered to yet, else any.
 */
export function refusedImages(
  error: FailureInfo,
  history: readonly Message[],
  known: readonly string[],
): string[] {
  if (!REFUSALS.includes(error.status) || !/\b(?:image|picture|media)/i.test(error.message)) return [];
  const answered = history.findLastIndex((message) => message.kind === "reply" && message.origin === "model");
  const fresh = unknownIn(history.slice(answered + 1), known);
  return fresh.length > 0 ? fresh : unknownIn(history, known);
}

function unknownIn(messages: readonly Message[], known: readonly string[]): string[] {
  const hashes = messages.flatMap((message) => message.content.flatMap(imagesIn));
  return [...new Set(hashes)].filter((hash) => !known.includes(hash));
}

function imagesIn(block: ContentBlock): string[] {
  if (block.type === "image") return [block.blob.hash];
  return block.type === "tool_result" ? block.content.flatMap(imagesIn) : [];
}

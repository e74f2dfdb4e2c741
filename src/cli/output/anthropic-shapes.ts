import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { ContentBlock, Message, Usage } from "../../protocol/message.ts";

/** Messages and usage in the shapes that wrappers of this kind of tool parse (CONVENTIONS 5.10). */
export function assistantMessage(message: Message): JsonObject {
  return {
    id: message.id,
    type: "message",
    role: "assistant",
    model: message.model ?? "",
    content: message.content.map(blockOf).filter((block) => block !== null),
    stop_reason: message.stopReason ?? null,
    stop_sequence: null,
    usage: message.usage ? usageOf(message.usage) : null,
  };
}

export function userMessage(message: Message): JsonObject {
  return { role: "user", content: message.content.map(blockOf).filter((block) => block !== null) };
}

/** Counts that the provider did not give are null, never 0. */
export function usageOf(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

function blockOf(block: ContentBlock): Json {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "reminder":
      return null;
    case "thinking":
      return { type: "thinking", thinking: block.text };
    case "image":
      return {
        type: "image",
        source: { type: "blob", hash: block.blob.hash, media_type: block.blob.mediaType },
      };
    case "tool_call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result":
      return {
        type: "tool_result",
        tool_use_id: block.callId,
        is_error: block.status !== "ok",
        content: block.content.map(blockOf),
      };
  }
}

import type { PlayedBlock, PlayedTurn } from "./played-turn.ts";
import { closing, event, type Frame, opening, type WireEncoder } from "./wire.ts";

/** Anthropic Messages: named events, blocks opened and closed by index. */
export const anthropicEncoder: WireEncoder = {
  *frames(turn) {
    const usage = startUsage(turn);
    yield opening(
      event("message_start", { type: "message_start", message: { ...header(turn), content: [], ...usage } }),
    );
    for (const [index, block] of turn.blocks.entries()) yield* blockFrames(block, index);
    yield closing(
      event("message_delta", {
        type: "message_delta",
        delta: { stop_reason: turn.stop, stop_sequence: null },
        ...endUsage(turn),
      }),
    );
    yield closing(event("message_stop", { type: "message_stop" }));
  },
  document(turn) {
    const start = startUsage(turn).usage;
    const end = endUsage(turn).usage;
    return {
      ...header(turn),
      stop_reason: turn.stop,
      content: turn.blocks.map(wholeBlock),
      ...(start === undefined && end === undefined ? {} : { usage: { ...(start ?? {}), ...(end ?? {}) } }),
    };
  },
  errorBody: (type, message) => ({ type: "error", error: { type, message } }),
  errorFrame: (type, message) => event("error", { type: "error", error: { type, message } }),
};

function header(turn: PlayedTurn): Record<string, unknown> {
  return {
    id: `msg_${turn.number}`,
    type: "message",
    role: "assistant",
    model: turn.model,
    stop_reason: null,
    stop_sequence: null,
  };
}

type MaybeUsage = { usage?: object };

function startUsage(turn: PlayedTurn): MaybeUsage {
  if (turn.startUsage !== undefined) return { usage: turn.startUsage as object };
  if (turn.usage === null) return {};
  const { input = 0, cacheRead = 0, cacheWrite = 0, startOutput = 1 } = turn.usage;
  return {
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: startOutput,
    },
  };
}

function endUsage(turn: PlayedTurn): MaybeUsage {
  if (turn.endUsage !== undefined) return { usage: turn.endUsage as object };
  return turn.usage === null ? {} : { usage: { output_tokens: turn.usage.output ?? null } };
}

function wholeBlock(block: PlayedBlock): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: block.seal };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.seal };
    case "call":
      return { ...callStart(block), input: parsedOrText(block.args) };
  }
}

function parsedOrText(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

const callStart = (block: Extract<PlayedBlock, { type: "call" }>): object => ({
  type: "tool_use",
  ...(block.id === null ? {} : { id: block.id }),
  name: block.call.name,
  input: {},
});

function* blockFrames(block: PlayedBlock, index: number): Generator<Frame> {
  const start = (content: object): Frame =>
    opening(event("content_block_start", { type: "content_block_start", index, content_block: content }));
  // Written by hand: this is the one line that a benchmark sends twenty thousand times.
  const deltas = function* (type: string, field: string, chunks: string[]): Generator<Frame> {
    const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;
    for (const chunk of chunks)
      yield { text: `${head}${JSON.stringify(chunk)}}}\n\n`, chars: chunk.length, end: false };
  };
  switch (block.type) {
    case "text":
      yield start({ type: "text", text: "" });
      yield* deltas("text_delta", "text", block.chunks);
      break;
    case "thinking":
      yield start({ type: "thinking", thinking: "", signature: "" });
      yield* deltas("thinking_delta", "thinking", block.chunks);
      for (const frame of deltas("signature_delta", "signature", [block.seal])) yield { ...frame, chars: 0 };
      break;
    case "redacted_thinking":
      yield start({ type: "redacted_thinking", data: block.seal });
      break;
    case "call":
      yield start(callStart(block));
      yield* deltas("input_json_delta", "partial_json", block.chunks);
      break;
  }
  yield opening(event("content_block_stop", { type: "content_block_stop", index }));
}

import type { PlayedBlock, PlayedTurn } from "./played-turn.ts";
import { closing, type Frame, opening, type WireEncoder } from "./wire.ts";

const FINISH: Record<string, string> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
};

/** OpenAI Chat Completions: nameless chunks, calls told apart by index, `[DONE]` at the end. */
export const openaiChatEncoder: WireEncoder = {
  *frames(turn, request) {
    const head = `data: {"id":"chatcmpl-${turn.number}","object":"chat.completion.chunk","created":0,"model":${JSON.stringify(turn.model)}`;
    const chunk = (delta: string, finish: string | null): string =>
      `${head},"choices":[{"index":0,"delta":${delta},"finish_reason":${JSON.stringify(finish)}}]}\n\n`;
    const hasText = turn.blocks.some((block) => block.type === "text");
    yield opening(chunk(JSON.stringify({ role: "assistant", content: hasText ? "" : null }), null));
    let callIndex = 0;
    for (const block of turn.blocks) {
      if (block.type === "call") yield* callFrames(block, callIndex++, chunk);
      else if (block.type === "text" || block.type === "thinking") {
        const field = block.type === "text" ? "content" : "reasoning_content";
        for (const text of block.chunks) {
          yield { text: chunk(`{"${field}":${JSON.stringify(text)}}`, null), chars: text.length, end: false };
        }
      }
    }
    yield closing(chunk("{}", finishOf(turn)));
    const usage = usageOf(turn);
    if (usage !== undefined && wantsUsage(request.body)) {
      yield closing(`${head},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`);
    }
    yield closing("data: [DONE]\n\n");
  },
  document(turn) {
    const join = (type: "text" | "thinking"): string =>
      turn.blocks.map((block) => (block.type === type ? block.text : "")).join("");
    const calls = turn.blocks.filter((block) => block.type === "call");
    const usage = usageOf(turn);
    return {
      id: `chatcmpl-${turn.number}`,
      object: "chat.completion",
      created: 0,
      model: turn.model,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: join("text") || null,
            ...(join("thinking") ? { reasoning_content: join("thinking") } : {}),
            ...(calls.length > 0 ? { tool_calls: calls.map((block) => wholeCall(block)) } : {}),
          },
          finish_reason: finishOf(turn),
        },
      ],
      ...(usage === undefined ? {} : { usage }),
    };
  },
  errorBody: (type, message) => ({ error: { message, type, param: null, code: null } }),
  errorFrame: (type, message) => `data: ${JSON.stringify({ error: { message, type, code: null } })}\n\n`,
};

type CallBlock = Extract<PlayedBlock, { type: "call" }>;

function wholeCall(block: CallBlock): Record<string, unknown> {
  const args = block.call.argumentsAsObject ? (block.call.input ?? {}) : block.args;
  return {
    ...(block.id === null ? {} : { id: block.id }),
    type: "function",
    function: { name: block.call.name, arguments: args },
  };
}

function* callFrames(
  block: CallBlock,
  position: number,
  chunk: (delta: string, finish: string | null) => string,
): Generator<Frame> {
  const index = block.call.index === undefined ? position : block.call.index;
  const place = index === null ? {} : { index };
  const frame = (call: object, chars: number): Frame => ({
    text: chunk(JSON.stringify({ tool_calls: [{ ...place, ...call }] }), null),
    chars,
    end: false,
  });
  if (block.call.whole || block.call.argumentsAsObject) {
    yield frame(wholeCall(block), block.args.length);
    return;
  }
  yield frame({ ...wholeCall(block), function: { name: block.call.name, arguments: "" } }, 0);
  for (const piece of block.chunks) yield frame({ function: { arguments: piece } }, piece.length);
}

const finishOf = (turn: PlayedTurn): string | null =>
  turn.stop === null ? null : (FINISH[turn.stop] ?? turn.stop);

function usageOf(turn: PlayedTurn): unknown {
  if (turn.endUsage !== undefined) return turn.endUsage;
  if (turn.usage === null) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = turn.usage;
  if (input === null) return { prompt_tokens: null, completion_tokens: output, total_tokens: null };
  const prompt = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: output === null ? null : prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}

/** As the real service: usage in a stream is only told to those who asked for it. */
function wantsUsage(body: unknown): boolean {
  const options = (body as { stream_options?: { include_usage?: unknown } } | undefined)?.stream_options;
  return options?.include_usage === true;
}

import type { PlayedBlock, PlayedTurn } from "./played-turn.ts";
import { event, type Frame, type WireEncoder } from "./wire.ts";

const INCOMPLETE: Record<string, string> = { max_tokens: "max_output_tokens", refusal: "content_filter" };

/** OpenAI Responses: typed events over output items, the whole response repeated at the end. */
export const openaiResponsesEncoder: WireEncoder = {
  *frames(turn) {
    let sequence = 0;
    const say = (type: string, data: object, chars = 0, end = false): Frame => ({
      text: event(type, { type, sequence_number: sequence++, ...data }),
      chars,
      end,
    });
    yield say("response.created", { response: { ...header(turn), status: "in_progress", output: [] } });
    for (const [index, block] of turn.blocks.entries()) yield* itemFrames(turn, block, index, say);
    if (turn.stop === null) return;
    const type = INCOMPLETE[turn.stop] ? "response.incomplete" : "response.completed";
    yield say(type, { response: openaiResponsesEncoder.document(turn) }, 0, true);
  },
  document(turn) {
    const reason = turn.stop === null ? undefined : INCOMPLETE[turn.stop];
    const usage = usageOf(turn);
    return {
      ...header(turn),
      status: reason ? "incomplete" : "completed",
      incomplete_details: reason ? { reason } : null,
      output: turn.blocks.map((block, index) => wholeItem(turn, block, index)),
      ...(usage === undefined ? {} : { usage }),
    };
  },
  errorBody: (type, message) => ({ error: { message, type, param: null, code: null } }),
  errorFrame: (type, message) => event("error", { type: "error", code: type, message, param: null }),
};

const header = (turn: PlayedTurn): object => ({
  id: `resp_${turn.number}`,
  object: "response",
  created_at: 0,
  model: turn.model,
  error: null,
});

const itemId = (turn: PlayedTurn, index: number): string => `item_${turn.number}_${index}`;

function wholeItem(turn: PlayedTurn, block: PlayedBlock, index: number): Record<string, unknown> {
  const id = itemId(turn, index);
  switch (block.type) {
    case "text": {
      const content = [{ type: "output_text", text: block.text, annotations: [] }];
      return { type: "message", id, status: "completed", role: "assistant", content };
    }
    case "thinking":
      return {
        type: "reasoning",
        id,
        summary: [{ type: "summary_text", text: block.text }],
        encrypted_content: block.seal,
      };
    case "redacted_thinking":
      return { type: "reasoning", id, summary: [], encrypted_content: block.seal };
    case "call":
      return {
        type: "function_call",
        id,
        ...(block.id === null ? {} : { call_id: block.id }),
        name: block.call.name,
        arguments: block.args,
        status: "completed",
      };
  }
}

type Say = (type: string, data: object, chars?: number) => Frame;

function* itemFrames(turn: PlayedTurn, block: PlayedBlock, index: number, say: Say): Generator<Frame> {
  const item = wholeItem(turn, block, index);
  const place = { item_id: item.id, output_index: index };
  const empty: Record<PlayedBlock["type"], object> = {
    text: { content: [], status: "in_progress" },
    thinking: { summary: [], encrypted_content: "" },
    redacted_thinking: {},
    call: { arguments: "", status: "in_progress" },
  };
  yield say("response.output_item.added", { output_index: index, item: { ...item, ...empty[block.type] } });
  switch (block.type) {
    case "text": {
      const at = { ...place, content_index: 0 };
      const part = { type: "output_text", text: block.text, annotations: [] };
      yield say("response.content_part.added", { ...at, part: { ...part, text: "" } });
      for (const delta of block.chunks)
        yield say("response.output_text.delta", { ...at, delta }, delta.length);
      yield say("response.output_text.done", { ...at, text: block.text });
      yield say("response.content_part.done", { ...at, part });
      break;
    }
    case "thinking": {
      const at = { ...place, summary_index: 0 };
      yield say("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
      for (const delta of block.chunks) {
        yield say("response.reasoning_summary_text.delta", { ...at, delta }, delta.length);
      }
      yield say("response.reasoning_summary_text.done", { ...at, text: block.text });
      break;
    }
    case "call":
      for (const delta of block.chunks) {
        yield say("response.function_call_arguments.delta", { ...place, delta }, delta.length);
      }
      yield say("response.function_call_arguments.done", { ...place, arguments: block.args });
      break;
    case "redacted_thinking":
      break;
  }
  yield say("response.output_item.done", { output_index: index, item });
}

function usageOf(turn: PlayedTurn): unknown {
  if (turn.endUsage !== undefined) return turn.endUsage;
  if (turn.usage === null) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = turn.usage;
  if (input === null) return { input_tokens: null, output_tokens: output, total_tokens: null };
  const whole = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    input_tokens: whole,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: output === null ? null : whole + output,
  };
}

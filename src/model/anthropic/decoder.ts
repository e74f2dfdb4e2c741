import type { StopReason } from "../../protocol/message.ts";
import { type Failure, streamFailure, toldErrorIn } from "../failure.ts";
import { type OpenBlock, type OpenCall, type Reply, stopByContent } from "../reply.ts";
import { asList, asObject, asText, type Decoder, type Ending, type Loose } from "../wire.ts";
import { createAnthropicUsage } from "./usage.ts";

const STOPS: Record<string, StopReason> = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause_turn",
  refusal: "refusal",
  model_context_window_exceeded: "context_exceeded",
};

/** Reads a Messages stream or document. Blocks of unknown types are left out. */
export function anthropicDecoder(reply: Reply): Decoder {
  const usage = createAnthropicUsage();
  const open = new Map<unknown, Slot>();
  let stop: string | null = null;
  let note: string | undefined;
  let stopped = false;

  const takeDelta = (delta: Loose): void => {
    if (typeof delta.stop_reason === "string") stop = delta.stop_reason;
    const why = asText(asObject(delta.stop_details).explanation);
    if (why) note = why;
  };
  const ending = (): Ending | null => {
    if (stop === null) return stopped ? { stopReason: stopByContent(reply), note } : null;
    return { stopReason: STOPS[stop] ?? stopByContent(reply), note };
  };

  return {
    event(name, data) {
      const event = asObject(data);
      switch (event.type ?? name) {
        case "content_block_delta":
          growBlock(open.get(event.index), asObject(event.delta), reply);
          return null;
        case "content_block_start":
          open.set(event.index, openBlock(asObject(event.content_block), reply));
          return null;
        case "content_block_stop":
          closeBlock(open.get(event.index), reply);
          open.delete(event.index);
          return null;
        case "message_start":
          usage.told(asObject(event.message).usage);
          return null;
        case "message_delta":
          usage.told(event.usage);
          takeDelta(asObject(event.delta));
          return null;
        case "message_stop":
          stopped = true;
          return null;
        case "error":
          return reported(event);
        default:
          return null;
      }
    },
    word: () => false,
    document(body) {
      const message = asObject(body);
      if (message.type === "error" || message.error) return reported(message);
      for (const block of asList(message.content)) closeBlock(openBlock(block, reply), reply);
      usage.told(message.usage);
      takeDelta(message);
      stopped = Array.isArray(message.content);
      return null;
    },
    closed: () => stopped,
    ending,
    usage: usage.tokens,
  };
}

function reported(event: Loose): Failure {
  return streamFailure(
    toldErrorIn(event) ?? { message: "the server reported an error", type: "api_error", code: "" },
  );
}

/** A block on the wire with what it became; `input` is a call's input as some services send it, whole. */
type Slot = { block: OpenBlock; signature: string; input?: unknown } | null;

function openBlock(content: Loose, reply: Reply): Slot {
  switch (content.type) {
    case "text": {
      const block = reply.open("text");
      reply.text(asText(content.text), block);
      return { block, signature: "" };
    }
    case "thinking": {
      const block = reply.open("thinking");
      reply.thinking(asText(content.thinking), block);
      return { block, signature: asText(content.signature) };
    }
    case "redacted_thinking": {
      const block = reply.open("thinking");
      if (block.type === "thinking") block.data = { redacted: asText(content.data) };
      return { block, signature: "" };
    }
    case "tool_use":
      return { block: reply.openCall(asText(content.name)), signature: "", input: content.input };
    default:
      return null;
  }
}

function growBlock(slot: Slot | undefined, delta: Loose, reply: Reply): void {
  if (!slot) return;
  switch (delta.type) {
    case "text_delta":
      reply.text(asText(delta.text), slot.block);
      break;
    case "thinking_delta":
      reply.thinking(asText(delta.thinking), slot.block);
      break;
    case "signature_delta":
      slot.signature += asText(delta.signature);
      break;
    case "input_json_delta":
      if (slot.block.type === "call") reply.argumentText(slot.block, asText(delta.partial_json));
      break;
  }
}

function closeBlock(slot: Slot | undefined, reply: Reply): void {
  if (!slot) return;
  const { block } = slot;
  if (block.type === "thinking" && slot.signature !== "") block.data = { signature: slot.signature };
  if (block.type === "call") closeCall(block, slot.input, reply);
}

function closeCall(call: OpenCall, input: unknown, reply: Reply): void {
  const whole = call.parts.length === 0 && input !== undefined && input !== null;
  if (whole) reply.argumentText(call, typeof input === "string" ? input : JSON.stringify(input));
  reply.endCall(call);
}

import type { Json } from "../protocol/ids.ts";
import type { StopReason, TextBlock, ThinkingBlock, ToolCallBlock } from "../protocol/message.ts";
import type { ModelEvent } from "../protocol/model-port.ts";
import { wellFormed } from "../shared/text.ts";
import { readArguments } from "./tool-arguments.ts";

/** A block that is still growing. Calls keep their argument text until the message is complete. */
export type OpenBlock =
  | { type: "text"; parts: string[] }
  | { type: "thinking"; parts: string[]; data?: Json }
  | { type: "call"; index: number; name: string; parts: string[]; ended: boolean };

export type OpenCall = Extract<OpenBlock, { type: "call" }>;

/**
 * The message that a decoder puts together, in the order of the wire. Growing it queues the events for the
 * screen; neighbouring deltas of one kind are merged until they are taken, so that a burst costs one event.
 */
export type Reply = {
  readonly blocks: OpenBlock[];
  text(delta: string, block?: OpenBlock): void;
  thinking(delta: string, block?: OpenBlock): void;
  /** Opens a block of its own even if the last one has the same type. */
  open(type: "text" | "thinking"): OpenBlock;
  openCall(name: string): OpenCall;
  argumentText(call: OpenCall, delta: string): void;
  endCall(call: OpenCall): void;
  /** The text that everything since the last asking has added, if that was one piece and nothing else; forgets it. */
  takeGrowth(): string | null;
  /** Adds to the block that grew last. */
  growOn(delta: string): void;
  takeEvents(): ModelEvent[];
  /** Everything, calls with fresh ids; only for a complete message. */
  content(newId: () => string): (TextBlock | ThinkingBlock | ToolCallBlock)[];
  /** Text and thinking so far. */
  partial(): (TextBlock | ThinkingBlock)[];
};

/** `source` is the `provider/model` that thinking is kept for. */
export function createReply(source: string): Reply {
  const blocks: OpenBlock[] = [];
  let events: ModelEvent[] = [];
  let calls = 0;
  // Which block grew by which text, for growOn; changes of any other kind clear `growth`.
  let grown: OpenBlock | null = null;
  let growth: string | null = null;
  let changes = 0;

  const open = (type: "text" | "thinking"): OpenBlock => {
    const block: OpenBlock = { type, parts: [] };
    blocks.push(block);
    changes += 1;
    return block;
  };
  const grow = (type: "text" | "thinking", delta: string, block?: OpenBlock): void => {
    if (delta === "") return;
    const known = block ?? blocks.at(-1);
    const target = known?.type === type ? known : open(type);
    target.parts.push(delta);
    grown = target;
    growth = delta;
    changes += 1;
    const last = events.at(-1);
    const event = type === "text" ? "text_delta" : "thinking_delta";
    if (last?.type === event) last.text += delta;
    else events.push({ type: event, text: delta });
  };

  const finished = (block: OpenBlock): (TextBlock | ThinkingBlock)[] => {
    if (block.type === "call") return [];
    const text = wellFormed(block.parts.join(""));
    if (block.type === "text") return text.trim() === "" ? [] : [{ type: "text", text }];
    if (text === "" && block.data === undefined) return [];
    return [{ type: "thinking", text, source, ...(block.data === undefined ? {} : { data: block.data }) }];
  };

  const end = (call: OpenCall): void => {
    if (call.ended) return;
    call.ended = true;
    changes += 1;
    events.push({ type: "tool_call_end", index: call.index });
  };

  return {
    blocks,
    text: (delta, block) => grow("text", delta, block),
    thinking: (delta, block) => grow("thinking", delta, block),
    open,
    openCall(name) {
      const call: OpenCall = {
        type: "call",
        index: calls++,
        name: wellFormed(name.trim()),
        parts: [],
        ended: false,
      };
      blocks.push(call);
      changes += 1;
      events.push({ type: "tool_call_start", index: call.index, name: call.name });
      return call;
    },
    argumentText(call, delta) {
      if (delta === "") return;
      call.parts.push(delta);
      changes += 1;
      const last = events.at(-1);
      if (last?.type === "tool_call_delta" && last.index === call.index) last.chars += delta.length;
      else events.push({ type: "tool_call_delta", index: call.index, chars: delta.length });
    },
    endCall: end,
    takeGrowth() {
      const taken = changes === 1 ? growth : null;
      changes = 0;
      growth = null;
      return taken;
    },
    growOn(delta) {
      if (grown?.type === "text" || grown?.type === "thinking") grow(grown.type, delta, grown);
    },
    takeEvents() {
      const taken = events;
      events = [];
      for (const event of taken) {
        if (event.type === "text_delta" || event.type === "thinking_delta")
          event.text = wellFormed(event.text);
      }
      return taken;
    },
    content(newId) {
      return blocks.flatMap((block): (TextBlock | ThinkingBlock | ToolCallBlock)[] => {
        if (block.type !== "call") return finished(block);
        end(block);
        return [{ type: "tool_call", id: newId(), name: block.name, ...readArguments(block.parts.join("")) }];
      });
    },
    partial: () => blocks.flatMap(finished),
  };
}

/** The stop reason of a service that told none, or one that only its content explains. */
export function stopByContent(reply: Reply): StopReason {
  return reply.blocks.some((block) => block.type === "call") ? "tool_use" : "end_turn";
}

import type { Json, JsonObject } from "../../protocol/ids.ts";
import type {
  ContentBlock,
  ImageBlock,
  Message,
  TextBlock,
  ToolResultBlock,
} from "../../protocol/message.ts";
import type { RequestBlock } from "../../protocol/model-port.ts";
import { wellFormed } from "../../shared/text.ts";
import { reminderText } from "./reminder-text.ts";

/** A picture that is put in its place only when the request is made. */
export type ImageSlot = { type: "image_slot"; image: ImageBlock };

export type DraftText = { type: "text"; text: string };

export type DraftResult = {
  type: "tool_result";
  callId: string;
  isError: boolean;
  content: (DraftText | ImageSlot)[];
};

export type DraftBlock =
  | DraftText
  | ImageSlot
  | Extract<RequestBlock, { type: "thinking" }>
  | Extract<RequestBlock, { type: "tool_call" }>;

/** One stored message in the form of a request, before neighbours are merged. */
export type Draft = { role: "user" | "assistant"; results: DraftResult[]; blocks: DraftBlock[] };

/** Depends on the message and the model's id alone, so that a message never changes once it was sent. */
export function draftOf(message: Message, modelId: string): Draft {
  return message.role === "user" ? userDraft(message.content) : assistantDraft(message, modelId);
}

function userDraft(content: readonly ContentBlock[]): Draft {
  const draft: Draft = { role: "user", results: [], blocks: [] };
  for (const block of content) {
    switch (block.type) {
      case "tool_result":
        draft.results.push(resultDraft(block));
        break;
      case "reminder":
        draft.blocks.push({ type: "text", text: reminderText(block.text) });
        break;
      case "text":
      case "image":
        draft.blocks.push(...partDraft(block));
        break;
      case "thinking":
      case "tool_call":
        break; // a model's own; no user message holds them
    }
  }
  return draft;
}

function resultDraft(block: ToolResultBlock): DraftResult {
  const content = block.content.flatMap(partDraft);
  if (content.length === 0) content.push({ type: "text", text: "(no output)" });
  return { type: "tool_result", callId: block.callId, isError: block.status !== "ok", content };
}

/** Blank text is left out: no wire takes an empty block. */
function partDraft(block: TextBlock | ImageBlock): (DraftText | ImageSlot)[] {
  if (block.type === "image") return [{ type: "image_slot", image: block }];
  return block.text.trim() === "" ? [] : [{ type: "text", text: wellFormed(block.text) }];
}

function assistantDraft(message: Message, modelId: string): Draft {
  const { content, stopReason } = message;
  const calls = content.some((block) => block.type === "tool_call");
  // A refused answer in the history makes the vendor refuse all that follows.
  if (stopReason === "refusal" && !calls) return { role: "assistant", results: [], blocks: [] };
  // Thinking that was cut lacks its signature.
  const whole = stopReason !== "interrupted" && stopReason !== "error";
  const blocks = content.flatMap((block): DraftBlock[] => {
    if (block.type === "text") return partDraft(block);
    if (block.type === "tool_call") return [callDraft(block)];
    if (block.type === "thinking" && whole && block.source === modelId) {
      return [{ ...block, text: wellFormed(block.text) }];
    }
    return [];
  });
  return { role: "assistant", results: [], blocks: trimEnd(blocks, stopReason === "pause_turn") };
}

/** Thinking that nothing follows is refused by every wire; so is white space at the end of a paused answer. */
function trimEnd(blocks: DraftBlock[], paused: boolean): DraftBlock[] {
  const end = blocks.findLastIndex((block) => block.type !== "thinking") + 1;
  const kept = blocks.slice(0, end);
  const last = kept.at(-1);
  if (paused && last?.type === "text") kept[end - 1] = { type: "text", text: last.text.trimEnd() };
  return kept;
}

function callDraft(block: Extract<ContentBlock, { type: "tool_call" }>): DraftBlock {
  const call = { type: "tool_call" as const, id: block.id, name: legalName(block.name) };
  return block.invalid
    ? { ...call, input: {}, invalidRaw: wellFormed(block.invalid.raw) }
    : { ...call, input: wellFormedObject(block.input) };
}

/** Vendors check the names of old calls too, and a model may have made one up. */
function legalName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

function wellFormedObject(input: JsonObject): JsonObject {
  return JSON.stringify(input).includes("\\ud") ? (repaired(input) as JsonObject) : input;
}

function repaired(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), repaired(item)]));
}

import type { CallId, MessageId } from "../../protocol/ids.ts";
import type { HistoryCut, Message, ToolResultBlock } from "../../protocol/message.ts";

/** What requests are derived from: the stored chain with its newest cuts carried out. */
export type ShownHistory = {
  messages: Message[];
  /** The newest message that cut the history; null: none did. While it stays the same, the history only grows. */
  marker: MessageId | null;
  /** Index in `messages` of the first one that was stored after the marker. */
  freshFrom: number;
};

type Compacted = Extract<HistoryCut, { type: "compacted" }>;

/** A longer text is worth a pointer (CONTRACT O1). */
const TRIM_CHARS = 100;
const NAME_CHARS = 40;

/**
 * What was made of a chain, by its last message; moved on as the chain grows, so that a step costs what is new. It
 * holds for a chain that begins with the same message and is as long.
 */
const made = new WeakMap<Message, { shown: ShownHistory; first: Message; length: number }>();

/**
 * Carries out the cuts of a chain (from the root, or from any place not after what its newest compaction keeps):
 * the newest summary stands first, then what it kept, then what came later; trimmed results are pointers.
 */
export function shownHistory(chain: readonly Message[]): ShownHistory {
  const [first] = chain;
  const last = chain.at(-1);
  if (!first || !last) return { messages: [], marker: null, freshFrom: 0 };
  const shown = grown(chain) ?? carriedOut(chain);
  made.set(last, { shown, first, length: chain.length });
  return shown;
}

/** The history of an earlier end of the chain and what came since, if that cuts nothing. */
function grown(chain: readonly Message[]): ShownHistory | null {
  for (let at = chain.length - 1; at >= 0; at--) {
    const message = chain[at] as Message;
    const before = made.get(message);
    if (before?.first === chain[0] && before?.length === at + 1) {
      if (at === chain.length - 1) return before.shown;
      made.delete(message);
      return { ...before.shown, messages: [...before.shown.messages, ...chain.slice(at + 1)] };
    }
    if (message.cut) return null;
  }
  return null;
}

function carriedOut(chain: readonly Message[]): ShownHistory {
  const at = chain.findLastIndex((message) => compactedBy(message) !== null);
  const summary = chain[at];
  const cut = summary === undefined ? null : compactedBy(summary);
  const markerAt = chain.findLastIndex((message) => message.cut !== undefined);
  const marker = chain[markerAt]?.id ?? null;
  if (!summary || !cut) {
    const messages = trimmed(chain);
    return { messages, marker, freshFrom: markerAt + 1 };
  }
  const from = chain.findIndex((message) => message.id === cut.droppedThrough) + 1;
  const kept = chain.slice(from, at).filter((message) => compactedBy(message) === null);
  const messages = trimmed([summary, ...kept, ...chain.slice(at + 1)]);
  return { messages, marker, freshFrom: 1 + kept.length + (markerAt - at) };
}

/** The cut of a message that stands for others; null for all other messages. */
export function compactedBy(message: Message): Compacted | null {
  return message.cut?.type === "compacted" ? message.cut : null;
}

/** Drops from the front of a chain what its newest compaction does not need any more. */
export function neededChain(chain: Message[]): Message[] {
  const summary = chain.findLast((message) => compactedBy(message) !== null);
  const cut = summary ? compactedBy(summary) : null;
  const dropped = cut ? chain.findIndex((message) => message.id === cut.droppedThrough) : -1;
  return dropped < 0 ? chain : chain.slice(dropped + 1);
}

/** True for a result that a pointer would make shorter. */
export function isTrimmable(result: ToolResultBlock): boolean {
  let chars = 0;
  for (const part of result.content) {
    if (part.type === "image") return true;
    chars += part.text.length;
  }
  return chars > TRIM_CHARS;
}

/** What stands in the place of a trimmed result. */
export function pointerText(tool: string, callId: CallId): string {
  return `[Previous: used ${tool.slice(0, NAME_CHARS).toWellFormed()}] id ${callId}`;
}

function trimmed(messages: readonly Message[]): Message[] {
  const through = trimPoint(messages);
  const end = through === null ? -1 : messages.findIndex((message) => answers(message, through));
  if (through === null || end < 0) return [...messages];
  const names = callNames(messages.slice(0, end));
  return messages.map((message, index) => {
    if (index > end || message.kind !== "tool_results") return message;
    if (index === end) return withPointers(message, through, names);
    const known = pointers.get(message) ?? withPointers(message, null, names);
    pointers.set(message, known);
    return known;
  });
}

/** Messages whose results are all trimmed: they stay the same objects, so that their size is counted once. */
const pointers = new WeakMap<Message, Message>();

/** The call through whose result a history is trimmed; null: it is not. */
export function trimPoint(messages: readonly Message[]): CallId | null {
  return (
    messages.map((message) => message.cut?.trimmedThrough).findLast((id) => typeof id === "string") ?? null
  );
}

const answers = (message: Message, callId: CallId): boolean =>
  message.content.some((block) => block.type === "tool_result" && block.callId === callId);

/** Tool names by call. */
export function callNames(messages: readonly Message[]): Map<CallId, string> {
  const names = new Map<CallId, string>();
  for (const { content } of messages) {
    for (const block of content) if (block.type === "tool_call") names.set(block.id, block.name);
  }
  return names;
}

/** `through` null: all results of the message. */
function withPointers(message: Message, through: CallId | null, names: Map<CallId, string>): Message {
  let open = true;
  const content = message.content.map((block) => {
    if (block.type !== "tool_result" || !open) return block;
    open = through === null || block.callId !== through;
    if (!isTrimmable(block)) return block;
    const text = pointerText(names.get(block.callId) ?? "a tool", block.callId);
    const { callId, status } = block;
    return { type: "tool_result" as const, callId, status, content: [{ type: "text" as const, text }] };
  });
  return { ...message, content };
}

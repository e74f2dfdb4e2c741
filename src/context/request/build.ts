import type { Message } from "../../protocol/message.ts";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import type { LimitKind } from "../../protocol/session.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { outputLimit, SUMMARY_TOKENS } from "../compaction/context-size.ts";
import { type ShownHistory, shownHistory } from "../compaction/shown-history.ts";
import type { Draft, DraftText, ImageSlot } from "./draft.ts";
import { closed, emptyHistory, grow, type History } from "./history.ts";
import { reminderText } from "./reminder-text.ts";
import { createRequestImages, imageNote, type LoadBlob, type PreparedImage } from "./request-images.ts";
import { nothingSettled, validateRequest } from "./validate.ts";
import { wrapUpText } from "./wrap-up.ts";

export type RequestInput = {
  /** The chain from the root, or from what its newest compaction keeps, to the head, oldest first. */
  messages: readonly Message[];
  prefix: { system: string; tools: ToolSpec[] };
  model: ModelRef;
  loadBlob: LoadBlob;
  /** Stable per session. */
  cacheKey: string;
  purpose: "step" | "wrap_up" | "compaction";
  /** Which limit makes the turn end, for `wrap_up`. */
  limit?: LimitKind | null;
  /** The words that ask for a summary, for `compaction`. */
  ask?: string;
  /** Told to the model in this request only, after all else. */
  reminders?: readonly string[];
  /** Blob hashes of images that a provider refused: a note takes their place. */
  rejectedImages?: ReadonlySet<string>;
};

export type BuiltRequest = {
  request: ModelRequest;
  /** Why the request must not be sent; empty for a valid one. */
  problems: string[];
  /** What was mended because the stored chain was not as the engine makes it; worth a line in the log. */
  repairs: string[];
};

/** One per session. `build` gives the same request as a new builder would, but takes up where it left off. */
export type RequestBuilder = { build(input: RequestInput): Promise<BuiltRequest> };

/**
 * The one place where a model request is derived from the stored history (DESIGN 1.5). A message never changes
 * once something follows it, until a compaction, so each request begins with the bytes of the one before.
 */
export function createRequestBuilder(): RequestBuilder {
  const images = createRequestImages();
  const settled = nothingSettled();
  const finished = new WeakMap<Draft, RequestMessage>();
  let known = newKnown("", null);

  const historyOf = ({ messages, marker }: ShownHistory, modelId: string): History => {
    const extends_ =
      known.modelId === modelId &&
      known.marker === marker &&
      known.ids.length <= messages.length &&
      known.ids.every((id, index) => messages[index]?.id === id);
    if (!extends_) known = newKnown(modelId, marker);
    for (const message of messages.slice(known.ids.length)) {
      grow(known.history, message, modelId);
      known.ids.push(message.id);
    }
    return known.history;
  };

  return {
    async build(input) {
      const told = shownHistory(input.messages);
      const { drafts, repairs } = closed(historyOf(told, input.model.id));
      const show = imageShower(input, images.prepare);
      const messages: RequestMessage[] = [];
      for (const [index, draft] of drafts.entries()) {
        const message = finished.get(draft) ?? (await finish(draft, show));
        // The newest may still grow, and images are held by their own, bounded cache.
        if (index < drafts.length - 1 && !hasImages(draft)) finished.set(draft, message);
        messages.push(message);
      }
      const request = requestOf(input, withTrailer(messages, trailerOf(input)));
      const continuation = told.messages.at(-1)?.stopReason === "pause_turn";
      const progress = { settled, sources: drafts.slice(0, -1) };
      const problems = validateRequest(request, input.model, { continuation, progress });
      return { request, problems, repairs: [...repairs] };
    },
  };
}

type Known = { modelId: string; marker: string | null; ids: string[]; history: History };

const newKnown = (modelId: string, marker: string | null): Known => {
  return { modelId, marker, ids: [], history: emptyHistory() };
};

function requestOf(input: RequestInput, messages: RequestMessage[]): ModelRequest {
  const most = outputLimit(input.model);
  return {
    system: input.prefix.system,
    tools: input.prefix.tools,
    messages,
    maxOutput: input.purpose === "compaction" ? Math.min(SUMMARY_TOKENS, most) : most,
    cacheKey: input.cacheKey,
    toolChoice: input.purpose === "step" ? "auto" : "none",
  };
}

type ShowImage = (slot: ImageSlot) => Promise<PreparedImage>;

function imageShower(
  input: RequestInput,
  prepare: (image: ImageSlot["image"], loadBlob: LoadBlob) => Promise<PreparedImage>,
): ShowImage {
  return async ({ image }) => {
    if (!input.model.images) return imageNote(image, "this model takes no images");
    if (input.rejectedImages?.has(image.blob.hash)) return imageNote(image, "the provider refused it");
    return prepare(image, input.loadBlob);
  };
}

/** Results come first: the wires want them right after their calls. */
async function finish(draft: Draft, show: ShowImage): Promise<RequestMessage> {
  const content: RequestBlock[] = [];
  for (const result of draft.results) {
    content.push({ ...result, content: await shown(result.content, show) });
  }
  for (const block of draft.blocks) content.push(block.type === "image_slot" ? await show(block) : block);
  return { role: draft.role, content };
}

async function shown(parts: (DraftText | ImageSlot)[], show: ShowImage): Promise<PreparedImage[]> {
  const content: PreparedImage[] = [];
  for (const part of parts) content.push(part.type === "image_slot" ? await show(part) : part);
  return content;
}

function hasImages(draft: Draft): boolean {
  const isSlot = (part: { type: string }): boolean => part.type === "image_slot";
  return draft.blocks.some(isSlot) || draft.results.some((result) => result.content.some(isSlot));
}

function trailerOf(input: RequestInput): string[] {
  const reminders = [...(input.reminders ?? [])];
  if (input.purpose === "wrap_up") reminders.push(wrapUpText(input.limit ?? null));
  return [...reminders.map(reminderText), ...(input.ask === undefined ? [] : [input.ask])];
}

/** Behind everything that later requests repeat, so that leaving it out next time costs no cache. */
function withTrailer(messages: RequestMessage[], texts: string[]): RequestMessage[] {
  if (texts.length === 0) return messages;
  const blocks = texts.map((text) => ({ type: "text" as const, text }));
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: blocks }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, ...blocks] }];
}

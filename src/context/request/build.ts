import type { Message } from "../../protocol/message.ts";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import type { LimitKind } from "../../protocol/session.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import type { Draft, DraftText, ImageSlot } from "./draft.ts";
import { closed, emptyHistory, grow, type History } from "./history.ts";
import { reminderText } from "./reminder-text.ts";
import { createRequestImages, imageNote, type LoadBlob, type PreparedImage } from "./request-images.ts";
import { nothingSettled, validateRequest } from "./validate.ts";
import { wrapUpText } from "./wrap-up.ts";

export type RequestInput = {
  /** The chain from the root or the newest summary to the head, oldest first. */
  messages: readonly Message[];
  prefix: { system: string; tools: ToolSpec[] };
  model: ModelRef;
  loadBlob: LoadBlob;
  /** Stable per session. */
  cacheKey: string;
  purpose: "step" | "wrap_up";
  /** Which limit makes the turn end, for `wrap_up`. */
  limit?: LimitKind | null;
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
 * once something follows it, so each request begins with the bytes of the one before.
 */
export function createRequestBuilder(): RequestBuilder {
  const images = createRequestImages();
  const settled = nothingSettled();
  const finished = new WeakMap<Draft, RequestMessage>();
  let known: { modelId: string; ids: string[]; history: History } = newKnown("");

  const historyOf = (messages: readonly Message[], modelId: string): History => {
    const extends_ =
      known.modelId === modelId &&
      known.ids.length <= messages.length &&
      known.ids.every((id, index) => messages[index]?.id === id);
    if (!extends_) known = newKnown(modelId);
    for (const message of messages.slice(known.ids.length)) {
      grow(known.history, message, modelId);
      known.ids.push(message.id);
    }
    return known.history;
  };

  return {
    async build(input) {
      const { drafts, repairs } = closed(historyOf(input.messages, input.model.id));
      const show = imageShower(input, images.prepare);
      const messages: RequestMessage[] = [];
      for (const [index, draft] of drafts.entries()) {
        const message = finished.get(draft) ?? (await finish(draft, show));
        // The newest may still grow, and images are held by their own, bounded cache.
        if (index < drafts.length - 1 && !hasImages(draft)) finished.set(draft, message);
        messages.push(message);
      }
      const request = requestOf(input, withTrailer(messages, trailerOf(input)));
      const continuation = input.messages.at(-1)?.stopReason === "pause_turn";
      const progress = { settled, sources: drafts.slice(0, -1) };
      const problems = validateRequest(request, input.model, { continuation, progress });
      return { request, problems, repairs: [...repairs] };
    },
  };
}

const newKnown = (modelId: string) => ({ modelId, ids: [], history: emptyHistory() });

function requestOf(input: RequestInput, messages: RequestMessage[]): ModelRequest {
  return {
    system: input.prefix.system,
    tools: input.prefix.tools,
    messages,
    maxOutput: input.model.maxOutput,
    cacheKey: input.cacheKey,
    toolChoice: input.purpose === "wrap_up" ? "none" : "auto",
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
  return reminders;
}

/** Behind everything that later requests repeat, so that leaving it out next time costs no cache. */
function withTrailer(messages: RequestMessage[], reminders: string[]): RequestMessage[] {
  if (reminders.length === 0) return messages;
  const blocks = reminders.map((text) => ({ type: "text" as const, text: reminderText(text) }));
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: blocks }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, ...blocks] }];
}

import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../protocol/model-port.ts";
import { sha256 } from "../shared/hash.ts";

/**
 * The messages of a request as this model may get them: thinking of other models and blank texts left out,
 * pictures as a note where the model takes none, nothing empty, roles alternating, results before other
 * content. What comes of a message depends on it and its neighbours alone, so that prefixes stay byte-stable.
 */
export function settleMessages(model: ModelRef, request: ModelRequest): RequestMessage[] {
  const settled: RequestMessage[] = [];
  for (const message of request.messages) {
    const own = settleMessage(message, model);
    if (own === null) continue;
    const last = settled.at(-1);
    if (last?.role === own.role) settled[settled.length - 1] = joined(own.role, last, own);
    else settled.push(own);
  }
  return settled;
}

type Settled = { modelId: string; images: boolean; message: RequestMessage | null };
/** Messages of a session come again with each request, the same objects, and are not changed. */
const known = new WeakMap<RequestMessage, Settled>();

/** One message on its own; null when nothing of it is left. The result is shared: copy it to change it. */
function settleMessage(message: RequestMessage, model: ModelRef): RequestMessage | null {
  const before = known.get(message);
  if (before?.modelId === model.id && before.images === model.images) return before.message;
  const content = message.content.flatMap((block) => settleBlock(block, model));
  const isEmpty = !content.some((block) => block.type !== "thinking");
  const settled = isEmpty ? null : joined(message.role, { role: message.role, content });
  known.set(message, { modelId: model.id, images: model.images, message: settled });
  return settled;
}

function joined(role: RequestMessage["role"], ...messages: RequestMessage[]): RequestMessage {
  const content = messages.flatMap((message) => message.content);
  return { role, content: role === "user" ? resultsFirst(content) : content };
}

function settleBlock(block: RequestBlock, model: ModelRef): RequestBlock[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [block];
    case "thinking":
      return block.source === model.id && block.data !== undefined ? [block] : [];
    case "image":
      return model.images ? [block] : [{ type: "text", text: pictureNote(model) }];
    case "tool_result": {
      const content = block.content.flatMap((item) => settleBlock(item, model)) as typeof block.content;
      return [{ ...block, content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }] }];
    }
    case "tool_call":
      return [block];
  }
}

const pictureNote = (model: ModelRef): string => `[picture left out: ${model.id} takes no pictures]`;

function resultsFirst(content: RequestBlock[]): RequestBlock[] {
  const results = content.filter((block) => block.type === "tool_result");
  return results.length === 0
    ? content
    : [...results, ...content.filter((block) => block.type !== "tool_result")];
}

/** What a call's arguments look like when sent back; a broken text is shown to the model as it wrote it. */
export function sentInput(call: Extract<RequestBlock, { type: "tool_call" }>): Record<string, unknown> {
  return call.invalidRaw === undefined ? call.input : { invalid_arguments: call.invalidRaw };
}

/** A tool name that every service accepts, also for names that a model invented. */
export function legalName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

/** A call id that the service accepts. `style` short: nine letters and digits, as Mistral wants them. */
export function legalId(id: string, style: "plain" | "short" = "plain"): string {
  if (style === "short") return sha256(id).slice(0, 9);
  return /^[a-zA-Z0-9_-]{1,40}$/.test(id) ? id : sha256(id).slice(0, 32);
}

import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { imageMediaType } from "../../shared/image.ts";

/** How much of a growing request was found sound before: its first messages, by what they were made from. */
export type Settled = { sources: object[]; ids: Set<string>; open: readonly string[] };

export function nothingSettled(): Settled {
  return { sources: [], ids: new Set(), open: [] };
}

export type ValidateOptions = {
  /** A paused answer is being continued: the last message may be the assistant's. */
  continuation?: boolean;
  /**
   * Makes the next check begin where this one ended. `sources` are the unchangeable objects that the first
   * messages were made from; the same source must always give an equally sound message.
   */
  progress?: { settled: Settled; sources: readonly object[] };
};

const LEGAL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What a strict provider would refuse in this request, each with its place; empty when it may be sent. */
export function validateRequest(
  request: ModelRequest,
  model: ModelRef,
  options: ValidateOptions = {},
): string[] {
  const problems = toolProblems(request.tools);
  if (!request.system.isWellFormed()) problems.push("the system prompt holds a lone surrogate");
  problems.push(...conversationProblems(request.messages, model, options));
  return problems;
}

function conversationProblems(
  messages: readonly RequestMessage[],
  model: ModelRef,
  { continuation, progress }: ValidateOptions,
): string[] {
  const settled = resumed(progress);
  const ids = new Set<string>();
  const problems: string[] = messages.length === 0 ? ["there is no message"] : [];
  let open = settled.open;
  for (let index = settled.sources.length; index < messages.length; index++) {
    const message = messages[index] as RequestMessage;
    const place = `message ${index}`;
    const expected = index % 2 === 0 ? "user" : "assistant";
    if (message.role !== expected) problems.push(`${place} is the ${message.role}'s, not the ${expected}'s`);
    problems.push(...pairingProblems(open, message, place));
    open = callIds(message);
    problems.push(...idProblems(open, [settled.ids, ids], place));
    problems.push(...soundness(message, model, place));
    for (const id of open) ids.add(id);
    const source = progress?.sources[index];
    if (source && problems.length === 0) settle(settled, source, open);
  }
  if (open.length > 0) problems.push(`the last message leaves calls open: ${open.join(", ")}`);
  if (messages.at(-1)?.role === "assistant" && !continuation) {
    problems.push("the last message is the assistant's");
  }
  return problems;
}

/** What still holds of the progress: nothing of it when the beginning is no longer the same. */
function resumed(progress: ValidateOptions["progress"]): Settled {
  if (!progress) return nothingSettled();
  const { settled, sources } = progress;
  if (settled.sources.every((source, index) => source === sources[index])) return settled;
  settled.sources.length = 0;
  settled.ids.clear();
  settled.open = [];
  return settled;
}

function settle(settled: Settled, source: object, open: readonly string[]): void {
  settled.sources.push(source);
  for (const id of open) settled.ids.add(id);
  settled.open = open;
}

function toolProblems(tools: readonly ToolSpec[]): string[] {
  const names = tools.map((tool) => tool.name);
  return names.flatMap((name, index) => {
    if (!LEGAL_NAME.test(name)) return [`the tool name ${JSON.stringify(name)} is not legal`];
    return names.indexOf(name) === index ? [] : [`the tool ${name} is listed twice`];
  });
}

function callIds(message: RequestMessage): string[] {
  return message.content.flatMap((block) => (block.type === "tool_call" ? [block.id] : []));
}

function idProblems(calls: readonly string[], seen: readonly Set<string>[], place: string): string[] {
  return calls.flatMap((id, index) => {
    const problems: string[] = [];
    if (!LEGAL_NAME.test(id)) problems.push(`${place}: the call id ${JSON.stringify(id)} is not legal`);
    const repeated = calls.indexOf(id) < index || seen.some((ids) => ids.has(id));
    if (repeated) problems.push(`${place}: the call id ${id} is used twice`);
    return problems;
  });
}

function pairingProblems(open: readonly string[], message: RequestMessage, place: string): string[] {
  const answered = message.content.flatMap((block) => (block.type === "tool_result" ? [block.callId] : []));
  if (open.length === 0 && answered.length === 0) return [];
  const problems: string[] = [];
  for (const id of open) {
    const times = answered.filter((answer) => answer === id).length;
    if (times !== 1) problems.push(`${place}: call ${id} is answered ${times} times`);
  }
  for (const id of answered) {
    if (!open.includes(id))
      problems.push(`${place}: a result for ${id}, which the message before did not call`);
  }
  const firstOther = message.content.findIndex((block) => block.type !== "tool_result");
  const lastResult = message.content.findLastIndex((block) => block.type === "tool_result");
  if (firstOther >= 0 && firstOther < lastResult)
    problems.push(`${place}: a result comes after other content`);
  return problems;
}

/** Problems of the message's own blocks. */
function soundness(message: RequestMessage, model: ModelRef, place: string): string[] {
  const problems = message.content.flatMap((block) => blockProblems(block, message.role, model, place));
  if (message.content.length === 0) problems.push(`${place} is empty`);
  if (message.role === "assistant" && message.content.at(-1)?.type === "thinking") {
    problems.push(`${place} ends with thinking`);
  }
  return problems;
}

function blockProblems(
  block: RequestBlock,
  role: RequestMessage["role"],
  model: ModelRef,
  place: string,
): string[] {
  switch (block.type) {
    case "text":
      if (block.text.trim() === "") return [`${place}: an empty text block`];
      return block.text.isWellFormed() ? [] : [`${place}: text with a lone surrogate`];
    case "image":
      return imageProblems(block, role, model, place);
    case "thinking":
      return [
        ...(role === "assistant" ? [] : [`${place}: thinking in a user message`]),
        ...(block.source === model.id ? [] : [`${place}: thinking of ${block.source} for ${model.id}`]),
      ];
    case "tool_call":
      return [
        ...(role === "assistant" ? [] : [`${place}: a call in a user message`]),
        ...(LEGAL_NAME.test(block.name) ? [] : [`${place}: the tool name ${JSON.stringify(block.name)}`]),
      ];
    case "tool_result": {
      const inside = block.content.flatMap((part) => blockProblems(part, role, model, `${place}, result`));
      if (block.content.length === 0) inside.push(`${place}: the result of ${block.callId} is empty`);
      return role === "user" ? inside : [`${place}: a result in an assistant message`, ...inside];
    }
  }
}

function imageProblems(
  image: Extract<RequestBlock, { type: "image" }>,
  role: RequestMessage["role"],
  model: ModelRef,
  place: string,
): string[] {
  if (role !== "user") return [`${place}: an image in an assistant message`];
  if (!model.images) return [`${place}: an image for ${model.id}, which takes none`];
  const head = Buffer.from(image.base64.slice(0, 64), "base64");
  return image.base64.length % 4 === 0 && imageMediaType(head) === image.mediaType
    ? []
    : [`${place}: image data is not ${image.mediaType}`];
}

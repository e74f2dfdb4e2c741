import type { RecordedRequest } from "../../src/demo/scripted-model/types.ts";

/** One tool result of a request, whatever the wire. `isError` is null where the wire has no flag. */
export type SentResult = { id: string; text: string; isError: boolean | null; images: string[] };

type Loose = Record<string, unknown>;
const list = (value: unknown): Loose[] => (Array.isArray(value) ? (value as Loose[]) : []);

/** The messages (or input items) of a request, oldest first. */
export function messagesOf(request: RecordedRequest | undefined): Loose[] {
  const body = (request?.body ?? {}) as Loose;
  return list(body.messages ?? body.input);
}

/** The tool results that a request brings as news: those after its last model message. */
export function newResults(request: RecordedRequest | undefined): SentResult[] {
  const messages = messagesOf(request);
  const last = messages.findLastIndex((item) => item.role === "assistant" || item.type === "function_call");
  return messages.slice(last + 1).flatMap(resultsIn);
}

/** All tool results of a request. */
export function allResults(request: RecordedRequest | undefined): SentResult[] {
  return messagesOf(request).flatMap(resultsIn);
}

/** Ids of all tool calls of a request. */
export function callIds(request: RecordedRequest | undefined): string[] {
  return messagesOf(request).flatMap((message) => {
    if (message.type === "function_call") return [String(message.call_id)];
    const blocks = list(message.content).filter((block) => block.type === "tool_use");
    return [...blocks, ...list(message.tool_calls)].map((call) => String(call.id));
  });
}

/** The whole text of a request's last message or item. */
export function lastText(request: RecordedRequest | undefined): string {
  return textIn(messagesOf(request).at(-1)?.content);
}

function resultsIn(message: Loose): SentResult[] {
  if (message.role === "tool") {
    return [{ id: String(message.tool_call_id), text: textIn(message.content), isError: null, images: [] }];
  }
  if (message.type === "function_call_output") {
    return [{ id: String(message.call_id), text: textIn(message.output), isError: null, images: [] }];
  }
  return list(message.content)
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      id: String(block.tool_use_id),
      text: textIn(block.content),
      isError: block.is_error === true,
      images: list(block.content)
        .filter((part) => part.type === "image")
        .map((part) => String((part.source as Loose).data)),
    }));
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((block) => (typeof block.text === "string" ? block.text : textIn(block.content)))
    .join("\n");
}

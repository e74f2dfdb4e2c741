import {
  blank,
  dataUrlProblems,
  idCollector,
  isObject,
  type Loose,
  listOf,
  pairingProblems,
  toolProblems,
} from "./common.ts";

/** What Chat Completions services refuse; of compatible services the strictest reading. */
export function openaiChatProblems(body: Loose, prefill: boolean): string[] {
  const problems: string[] = [];
  if (typeof body.model !== "string" || body.model === "") problems.push("model is missing");
  if (body.stream_options !== undefined && body.stream !== true)
    problems.push("stream_options without stream");
  const functions = listOf(body.tools).map((tool) => (isObject(tool.function) ? tool.function : {}));
  problems.push(...toolProblems(functions.map((tool) => ({ name: tool.name, schema: tool.parameters }))));
  const messages = listOf(body.messages);
  if (messages.length === 0) problems.push("messages is empty");
  const collect = idCollector(problems);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Loose;
    const place = `messages[${index}]`;
    problems.push(...messageProblems(message, place, index));
    const before = messages[index - 1]?.role;
    if (message.role === "tool" && before !== "assistant" && before !== "tool") {
      problems.push(`${place}: result for ${String(message.tool_call_id)} without a call before it`);
    }
    if (message.role !== "assistant") continue;
    const calls = listOf(message.tool_calls).map((call) => collect(call.id, place));
    let end = index + 1;
    while (messages[end]?.role === "tool") end += 1;
    const answered = messages.slice(index + 1, end).map((result) => String(result.tool_call_id));
    problems.push(...pairingProblems(calls, answered, place));
  }
  if (messages.at(-1)?.role === "assistant" && !prefill)
    problems.push("the conversation ends with an assistant message");
  return problems;
}

function messageProblems(message: Loose, place: string, index: number): string[] {
  switch (message.role) {
    case "system":
    case "developer":
      return index === 0
        ? emptyText(message.content, place)
        : [`${place}: system message inside the conversation`];
    case "user":
      return typeof message.content === "string"
        ? emptyText(message.content, place)
        : partProblems(message, place);
    case "assistant":
      return assistantProblems(message, place);
    case "tool":
      return typeof message.content === "string" ? [] : partProblems(message, place);
    default:
      return [`${place}: unknown role ${String(message.role)}`];
  }
}

const emptyText = (content: unknown, place: string): string[] =>
  blank(content) ? [`${place}: empty content`] : [];

function partProblems(message: Loose, place: string): string[] {
  const parts = listOf(message.content);
  if (parts.length === 0) return [`${place}: no content`];
  return parts.flatMap((part) => {
    if (part.type === "text") return blank(part.text) ? [`${place}: empty text part`] : [];
    if (part.type !== "image_url") return [`${place}: unknown part type ${String(part.type)}`];
    if (message.role === "tool") return [`${place}: image in a tool message`];
    return dataUrlProblems(isObject(part.image_url) ? part.image_url.url : undefined, place);
  });
}

function assistantProblems(message: Loose, place: string): string[] {
  const problems: string[] = [];
  const calls = message.tool_calls;
  if (calls !== undefined && listOf(calls).length === 0) problems.push(`${place}: empty tool_calls`);
  if (message.content === "" || (blank(message.content) && calls === undefined))
    problems.push(`${place}: empty content`);
  for (const call of listOf(calls)) {
    const inner = isObject(call.function) ? call.function : {};
    if (call.type !== "function" || blank(inner.name))
      problems.push(`${place}: call ${String(call.id)} has no function`);
    if (!isObjectText(inner.arguments))
      problems.push(`${place}: arguments of ${String(call.id)} are no JSON object text`);
  }
  if ("reasoning_content" in message && blank(message.reasoning_content)) {
    problems.push(`${place}: empty reasoning_content`);
  }
  return problems;
}

export function isObjectText(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

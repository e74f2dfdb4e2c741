import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import { legalId, legalName, sentInput, settleMessages } from "../settle.ts";
import { asObject } from "../wire.ts";
import { type Quirks, quirksOf } from "./quirks.ts";

/** The body of a Chat Completions request. */
export function openaiChatBody(model: ModelRef, request: ModelRequest): JsonObject {
  const quirks = quirksOf(model);
  const messages = settleMessages(model, request).flatMap((message) =>
    message.role === "assistant" ? [assistantMessage(message, quirks)] : userMessages(message, quirks),
  );
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
  }));
  return {
    model: model.model,
    [quirks.maxTokens]: request.maxOutput,
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    messages: [
      ...(request.system.trim() === "" ? [] : [{ role: "system", content: request.system }]),
      ...messages,
    ],
    ...(quirks.cacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    stream: true,
    ...(quirks.usageOption ? { stream_options: { include_usage: true } } : {}),
  } as JsonObject;
}

function assistantMessage(message: RequestMessage, quirks: Quirks): JsonObject {
  let text = "";
  const calls: Json[] = [];
  const reasoning: JsonObject = {};
  for (const block of message.content) {
    if (block.type === "text") text += block.text;
    else if (block.type === "thinking") {
      const field = asObject(block.data).field;
      // Goes back under the name it came by, to those who sent it, exactly as it was.
      if (typeof field === "string") reasoning[field] = `${reasoning[field] ?? ""}${block.text}`;
    } else if (block.type === "tool_call") {
      calls.push({
        id: legalId(block.id, quirks.callIds),
        type: "function",
        function: { name: legalName(block.name), arguments: JSON.stringify(sentInput(block)) },
      });
    }
  }
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...reasoning,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

type Result = Extract<RequestBlock, { type: "tool_result" }>;
type Part = { type: "text"; text: string } | { type: "image"; mediaType: string; base64: string };

/** Results become messages of their own; their pictures, which those cannot carry, follow as the user's. */
function userMessages(message: RequestMessage, quirks: Quirks): JsonObject[] {
  const results = message.content.filter((block) => block.type === "tool_result");
  const own = message.content.filter(
    (block): block is Part => block.type === "text" || block.type === "image",
  );
  const parts = [...results.flatMap((result) => picturesOf(result)), ...own];
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_call_id: legalId(result.callId, quirks.callIds),
      content: resultText(result),
    })),
    ...(parts.length > 0 ? [{ role: "user", content: contentOf(parts) }] : []),
  ];
}

function resultText(result: Result): string {
  const texts = result.content.map((item) => (item.type === "text" ? item.text : "[picture: see below]"));
  const text = texts.join("\n\n");
  // The wire has no error flag: the text must say it.
  return result.isError && !/^\s*error\b/i.test(text) ? `Error: ${text}` : text;
}

function picturesOf(result: Result): Part[] {
  const pictures = result.content.filter((item) => item.type === "image");
  if (pictures.length === 0) return [];
  return [{ type: "text", text: "Pictures of the tool result above:" }, ...pictures];
}

function contentOf(parts: Part[]): Json {
  if (parts.every((part) => part.type === "text")) return parts.map((part) => part.text).join("\n\n");
  return parts.map(
    (part): JsonObject =>
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.base64}` } },
  );
}

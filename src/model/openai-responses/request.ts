import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import { legalId, legalName, sentInput, settleMessages } from "../settle.ts";
import { asObject, asText } from "../wire.ts";

/** Models that reason, and so have reasoning to hand back; the others refuse to be asked for it. */
const REASONS = /^(?:o[1-9]|gpt-[5-9]|codex)(?!.*-chat)/;

/** The body of a Responses request. Nothing is stored at the service: the whole conversation is sent. */
export function openaiResponsesBody(model: ModelRef, request: ModelRequest): JsonObject {
  const tools = request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    strict: false,
  }));
  const official = /^https:\/\/api\.openai\.com(?:\/|$)/.test(model.baseUrl);
  return {
    model: model.model,
    max_output_tokens: request.maxOutput,
    ...(request.system.trim() === "" ? {} : { instructions: request.system }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: "none" } : {}),
    input: settleMessages(model, request).flatMap(sentItems),
    store: false,
    ...(REASONS.test(model.model) ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(official ? { prompt_cache_key: request.cacheKey } : {}),
    stream: true,
  } as JsonObject;
}

/** One message as items: text and pictures that stand together share an item, everything else is its own. */
function sentItems(message: RequestMessage): JsonObject[] {
  const items: JsonObject[] = [];
  let parts: Json[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: "message", role: message.role, content: parts });
    parts = [];
  };
  for (const block of message.content) {
    const part = partOf(block, message.role);
    if (part) parts.push(part);
    else {
      flush();
      items.push(...ownItem(block));
    }
  }
  flush();
  return items;
}

function partOf(block: RequestBlock, role: RequestMessage["role"]): JsonObject | null {
  if (block.type === "text")
    return { type: role === "user" ? "input_text" : "output_text", text: block.text };
  if (block.type === "image") return pictureOf(block);
  return null;
}

const pictureOf = (image: { mediaType: string; base64: string }): JsonObject => ({
  type: "input_image",
  image_url: `data:${image.mediaType};base64,${image.base64}`,
});

function ownItem(block: RequestBlock): JsonObject[] {
  switch (block.type) {
    case "tool_call":
      return [
        {
          type: "function_call",
          call_id: legalId(block.id),
          name: legalName(block.name),
          arguments: JSON.stringify(sentInput(block)),
        },
      ];
    case "tool_result":
      return [{ type: "function_call_output", call_id: legalId(block.callId), output: outputOf(block) }];
    case "thinking": {
      const { id, encrypted, summary } = asObject(block.data);
      if (typeof encrypted !== "string") return [];
      const texts = Array.isArray(summary) ? summary : [];
      return [
        {
          type: "reasoning",
          ...(typeof id === "string" ? { id } : {}),
          summary: texts.map((text) => ({ type: "summary_text", text: asText(text) })),
          encrypted_content: encrypted,
        },
      ];
    }
    default:
      return [];
  }
}

function outputOf(result: Extract<RequestBlock, { type: "tool_result" }>): Json {
  const texts = result.content.map((item) => (item.type === "text" ? item.text : ""));
  const mark = result.isError && !/^\s*error\b/i.test(texts.join("")) ? "Error: " : "";
  if (result.content.every((item) => item.type === "text")) return mark + texts.join("\n\n");
  return [
    ...(mark ? [{ type: "input_text", text: mark }] : []),
    ...result.content.map((item) =>
      item.type === "text" ? { type: "input_text", text: item.text } : pictureOf(item),
    ),
  ];
}

import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import { legalId, legalName, sentInput, settleMessages } from "../settle.ts";
import { asObject, asText } from "../wire.ts";

const MARK = { cache_control: { type: "ephemeral" } };

// From 5 on thinking is adaptive and its text, with all that is said between calls, empty unless asked for.
const ADAPTIVE = /^claude-[a-z]+-(?:[5-9]|[1-9]\d)(?:-\d{1,2})?(?:-\d{8})?$/;
const SHOWN = { thinking: { type: "adaptive", display: "summarized" } };

/**
 * The body of a Messages request. Four cache marks, the most there may be: after the tools, after the system
 * prompt, on the last user message and on the one before, so that a request always finds the prefix that the
 * last one wrote. Marks move on with the conversation; the content they sit on never changes its bytes.
 */
export function anthropicBody(model: ModelRef, request: ModelRequest): JsonObject {
  const messages = settleMessages(model, request).map(sentMessage);
  const users = messages.filter((message) => message.role === "user");
  for (const message of users.slice(-2)) {
    const last = message.content.at(-1);
    if (last) Object.assign(last, MARK);
  }
  const tools = request.tools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    ...(index === request.tools.length - 1 ? MARK : {}),
  }));
  return {
    model: model.model,
    max_tokens: request.maxOutput,
    ...(ADAPTIVE.test(model.model) ? SHOWN : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && request.toolChoice === "none" ? { tool_choice: { type: "none" } } : {}),
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text", text: request.system, ...MARK }] }),
    messages: messages as Json[],
    stream: true,
  } as JsonObject;
}

type Sent = { role: "user" | "assistant"; content: JsonObject[] };

function sentMessage(message: RequestMessage): Sent {
  const content = message.content.map(sentBlock);
  const last = content.at(-1);
  // A reply that the model is to continue (a paused turn) must not end with white space. It is cut everywhere,
  // or the same message would have other bytes later.
  if (message.role === "assistant" && last?.type === "text") last.text = asText(last.text).trimEnd();
  return { role: message.role, content };
}

function sentBlock(block: RequestBlock): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return {
        type: "image",
        source: { type: "base64", media_type: block.mediaType, data: block.base64 },
      };
    case "thinking": {
      const data = asObject(block.data);
      if (typeof data.redacted === "string") return { type: "redacted_thinking", data: data.redacted };
      return { type: "thinking", thinking: block.text, signature: asText(data.signature) };
    }
    case "tool_call":
      return {
        type: "tool_use",
        id: legalId(block.id),
        name: legalName(block.name),
        input: sentInput(block) as JsonObject,
      };
    case "tool_result":
      return {
        type: "tool_result",
        tool_use_id: legalId(block.callId),
        content: block.content.map(sentBlock),
        ...(block.isError ? { is_error: true } : {}),
      };
  }
}

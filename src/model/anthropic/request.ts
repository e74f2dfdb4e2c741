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
  const messages = marked(settleMessages(model, request).map(sentMessage));
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

/** The last two user messages with a cache mark on their last block; the others are left as they are. */
function marked(messages: Sent[]): Sent[] {
  let left = 2;
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    left -= 1;
    const last = message.content.at(-1);
    const content = [...message.content.slice(0, -1), { ...last, ...MARK }];
    if (last) messages[index] = { role: "user", content };
  }
  return messages;
}

const sent = new WeakMap<RequestMessage, Sent>();

/** A settled message as this wire has it; shared by all requests that hold it. */
function sentMessage(message: RequestMessage): Sent {
  const before = sent.get(message);
  if (before) return before;
  const made = translate(message);
  sent.set(message, made);
  return made;
}

function translate(message: RequestMessage): Sent {
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

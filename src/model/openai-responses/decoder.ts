import type { StopReason } from "../../protocol/message.ts";
import { tokenCount } from "../cost.ts";
import { type Failure, streamFailure, toldErrorIn } from "../failure.ts";
import { splitInput, type Told } from "../openai-chat/usage.ts";
import { type OpenBlock, type Reply, stopByContent } from "../reply.ts";
import { asList, asObject, asText, type Decoder, type Ending, type Loose } from "../wire.ts";

/** Reads a Responses stream or document. Items of unknown types are left out. */
export function openaiResponsesDecoder(reply: Reply): Decoder {
  const open = new Map<unknown, OpenBlock>();
  let usage: Told = { input: null, output: null, cacheRead: null, cacheWrite: null };
  let end: Ending | null = null;
  let refusal = "";

  const finish = (response: Loose): Failure | null => {
    const error =
      response.error ?? (response.status === "failed" ? { message: "the response failed" } : null);
    if (error) return reported({ error });
    if (response.usage) usage = responsesUsage(asObject(response.usage));
    const stopReason = stopOf(response, refusal, reply);
    end = refusal === "" ? { stopReason } : { stopReason, note: refusal };
    return null;
  };
  const blockAt = (index: unknown, type: OpenBlock["type"]): OpenBlock | undefined => {
    const block = open.get(index);
    return block?.type === type ? block : undefined;
  };

  return {
    event(name, data) {
      const event = asObject(data);
      const { output_index: index } = event;
      switch (event.type ?? name) {
        case "response.output_text.delta":
          reply.text(asText(event.delta), blockAt(index, "text"));
          return null;
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          reply.thinking(asText(event.delta), blockAt(index, "thinking"));
          return null;
        case "response.reasoning_summary_part.added":
          if (Number(event.summary_index) > 0) reply.thinking("\n\n", blockAt(index, "thinking"));
          return null;
        case "response.function_call_arguments.delta": {
          const block = blockAt(index, "call");
          if (block?.type === "call") reply.argumentText(block, asText(event.delta));
          return null;
        }
        case "response.refusal.delta":
          refusal += asText(event.delta);
          return null;
        case "response.output_item.added": {
          const block = openItem(asObject(event.item), reply);
          if (block) open.set(index, block);
          return null;
        }
        case "response.output_item.done":
          closeItem(asObject(event.item), open.get(index), reply);
          return null;
        case "response.completed":
        case "response.incomplete":
        case "response.failed":
          return finish(asObject(event.response));
        case "error":
          return reported(event.error ? { error: event.error } : event);
        default:
          return null;
      }
    },
    word: (text) => text.trim() === "[DONE]",
    document(body) {
      const response = asObject(body);
      for (const item of asList(response.output)) {
        for (const part of asList(item.content))
          refusal += part.type === "refusal" ? asText(part.refusal) : "";
        closeItem(item, undefined, reply);
      }
      return response.error || Array.isArray(response.output) ? finish(response) : null;
    },
    closed: () => end !== null,
    ending: () => end,
    usage: () => usage,
  };
}

function reported(event: Loose): Failure {
  return streamFailure(toldErrorIn(event) ?? { message: "the server reported an error", type: "", code: "" });
}

function openItem(item: Loose, reply: Reply): OpenBlock | null {
  if (item.type === "message") return reply.open("text");
  if (item.type === "reasoning") return reply.open("thinking");
  return item.type === "function_call" ? reply.openCall(asText(item.name)) : null;
}

/** Completes an item from its final form; what did not come in deltas is taken from there. */
function closeItem(item: Loose, opened: OpenBlock | undefined, reply: Reply): void {
  const block = opened ?? openItem(item, reply);
  if (!block) return;
  const silent = block.parts.length === 0;
  if (block.type === "call") {
    const args = item.arguments;
    if (silent && args) reply.argumentText(block, typeof args === "string" ? args : JSON.stringify(args));
    reply.endCall(block);
  } else if (block.type === "text") {
    if (silent) reply.text(joined(item.content, "output_text", ""), block);
  } else {
    const summary = asList(item.summary).map((part) => asText(part.text));
    if (silent) reply.thinking(summary.join("\n\n") || joined(item.content, "reasoning_text", "\n\n"), block);
    if (typeof item.encrypted_content === "string") {
      block.data = { id: asText(item.id), encrypted: item.encrypted_content, summary };
    }
  }
}

const joined = (content: unknown, type: string, between: string): string =>
  asList(content)
    .filter((part) => part.type === type)
    .map((part) => asText(part.text))
    .join(between);

function stopOf(response: Loose, refusal: string, reply: Reply): StopReason {
  if (refusal !== "") return "refusal";
  if (response.status !== "incomplete") return stopByContent(reply);
  const { reason } = asObject(response.incomplete_details);
  if (reason === "content_filter") return "refusal";
  return reason === "max_output_tokens" ? "max_tokens" : stopByContent(reply);
}

function responsesUsage(told: Loose): Told {
  const cached = tokenCount(asObject(told.input_tokens_details).cached_tokens) ?? 0;
  return { ...splitInput(tokenCount(told.input_tokens), cached), output: tokenCount(told.output_tokens) };
}

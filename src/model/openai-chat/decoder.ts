import type { StopReason } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import { type Failure, streamFailure, toldErrorIn } from "../failure.ts";
import { type Reply, stopByContent } from "../reply.ts";
import { asList, asObject, asText, type Decoder, type Ending, type Loose } from "../wire.ts";
import { createCallCollector } from "./calls.ts";
import { chatUsage, type Told } from "./usage.ts";

/** Fields under which services send reasoning. */
const REASONING = ["reasoning_content", "reasoning"] as const;

/** Reads a Chat Completions stream or document. */
export function openaiChatDecoder(reply: Reply, model: ModelRef): Decoder {
  const takeCall = createCallCollector(reply);
  let usage: Told = { input: null, output: null, cacheRead: null, cacheWrite: null };
  let finish: string | null = null;
  let refusal = "";
  let done = false;

  const take = (choice: Loose, message: Loose): void => {
    takeReasoning(message, reply);
    takeContent(message.content, reply);
    refusal += asText(message.refusal);
    for (const piece of asList(message.tool_calls)) takeCall(piece);
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
      finish = choice.finish_reason;
  };
  const takeAll = (data: unknown, field: "delta" | "message"): Failure | null => {
    const body = asObject(data);
    const choice = asList(body.choices)[0];
    const error = body.error ?? choice?.error;
    if (error) {
      return streamFailure(
        toldErrorIn({ error }) ?? { message: "the server reported an error", type: "", code: "" },
      );
    }
    if (choice) take(choice, asObject(choice[field]));
    if (body.usage) usage = chatUsage(asObject(body.usage), model);
    return null;
  };
  const ending = (): Ending | null => {
    if (finish === null && !done) return null;
    if (refusal !== "") return { stopReason: "refusal", note: refusal };
    return { stopReason: stopOf(finish, reply) };
  };

  return {
    event: (_name, data) => takeAll(data, "delta"),
    word(data) {
      if (data.trim() !== "[DONE]") return false;
      done = true;
      return true;
    },
    document(body) {
      const problem = takeAll(body, "message");
      done = asList(asObject(body).choices).length > 0;
      return problem;
    },
    closed: () => done,
    ending,
    usage: () => usage,
  };
}

function stopOf(finish: string | null, reply: Reply): StopReason {
  if (finish === "length") return "max_tokens";
  if (finish === "content_filter") return "refusal";
  if (finish === "model_context_window_exceeded") return "context_exceeded";
  if (finish === "pause_turn") return "pause_turn";
  // Calls decide, not the word: some services say `stop` after calls, some `tool_calls` without any.
  return stopByContent(reply);
}

function takeReasoning(message: Loose, reply: Reply): void {
  const field = REASONING.find((name) => asText(message[name]) !== "");
  if (!field) return;
  reply.thinking(asText(message[field]));
  const block = reply.blocks.at(-1);
  if (block?.type === "thinking") block.data = { field };
}

/** Text, or the parts that some services send in its place. */
function takeContent(content: unknown, reply: Reply): void {
  if (typeof content === "string") {
    reply.text(content);
    return;
  }
  for (const part of asList(content)) {
    if (part.type === "text") reply.text(asText(part.text));
    if (part.type === "thinking")
      for (const piece of asList(part.thinking)) reply.thinking(asText(piece.text));
  }
}

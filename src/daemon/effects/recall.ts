import type { ImageBlock, Message, TextBlock, ToolResultBlock } from "../../protocol/message.ts";
import type { Recalled, RecallPort } from "../../protocol/ports.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** Reads results and messages of the session's own conversation, also those that requests tell no more. */
export function createRecall(runtime: SessionRuntime, ports: EffectPorts): RecallPort {
  return {
    async read(id) {
      const { head } = runtime.actor.state;
      const messages = head === null || id === "" ? [] : await ports.store.messagesNaming(head, id);
      const result = messages
        .flatMap((message) => message.content)
        .find((block) => block.type === "tool_result" && block.callId === id);
      if (result?.type === "tool_result") return { ok: true, value: await resultText(result, ports) };
      const message = messages.find((known) => known.id === id);
      if (message) return { ok: true, value: messageText(message) };
      const text = `this conversation has no tool result and no message with the id ${id}`;
      return { ok: false, error: { code: "not_found", message: text } };
    },
  };
}

/** The whole output where it was stored, else what the model was told. */
async function resultText(result: ToolResultBlock, { store }: EffectPorts): Promise<Recalled> {
  const whole = result.full ? await store.getBlob(result.full.hash) : null;
  const images = result.content.filter((part) => part.type === "image");
  return { text: whole ? Buffer.from(whole).toString("utf8") : textOf(result.content), images };
}

function messageText({ content }: Message): Recalled {
  const images = content.filter((block) => block.type === "image");
  return { text: textOf(content.filter((block) => block.type === "text")), images };
}

const textOf = (parts: readonly (TextBlock | ImageBlock)[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

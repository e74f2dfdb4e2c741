import type { Wire } from "../wire.ts";
import { openaiChatDecoder } from "./decoder.ts";
import { openaiChatBody } from "./request.ts";

/** OpenAI Chat Completions and everything compatible with it, streamed. */
export const openaiChatWire: Wire = {
  url: (base) => `${base}/chat/completions`,
  headers: (credential): Record<string, string> =>
    credential ? { authorization: `Bearer ${credential.value}` } : {},
  body: openaiChatBody,
  decoder: openaiChatDecoder,
};

import type { Wire } from "../wire.ts";
import { openaiResponsesDecoder } from "./decoder.ts";
import { openaiResponsesBody } from "./request.ts";

/** OpenAI Responses, streamed, nothing stored at the service. */
export const openaiResponsesWire: Wire = {
  url: (base) => `${base}/responses`,
  headers: (credential): Record<string, string> =>
    credential ? { authorization: `Bearer ${credential.value}` } : {},
  body: openaiResponsesBody,
  decoder: openaiResponsesDecoder,
};

import type { WireName } from "../protocol/model-port.ts";
import { anthropicWire } from "./anthropic/wire.ts";
import { openaiChatWire } from "./openai-chat/wire.ts";
import { openaiResponsesWire } from "./openai-responses/wire.ts";
import type { Wire } from "./wire.ts";

export const WIRES: Record<WireName, Wire> = {
  anthropic: anthropicWire,
  "openai-chat": openaiChatWire,
  "openai-responses": openaiResponsesWire,
};

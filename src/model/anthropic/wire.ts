import type { Wire } from "../wire.ts";
import { anthropicDecoder } from "./decoder.ts";
import { anthropicBody } from "./request.ts";

/** Anthropic Messages, streamed. `ANTHROPIC_AUTH_TOKEN` and its like go as bearer tokens, other keys as `x-api-key`. */
export const anthropicWire: Wire = {
  url: (base) => `${base}${base.endsWith("/v1") ? "" : "/v1"}/messages`,
  headers: (credential) => ({
    "anthropic-version": "2023-06-01",
    ...(credential === null
      ? {}
      : credential.name.endsWith("_TOKEN")
        ? { authorization: `Bearer ${credential.value}` }
        : { "x-api-key": credential.value }),
  }),
  body: anthropicBody,
  decoder: anthropicDecoder,
};

import type { IncomingHttpHeaders } from "node:http";
import type { ScriptedWire, StrictOptions } from "../types.ts";
import { anthropicProblems } from "./anthropic.ts";
import { decodeBody, keyProblems } from "./common.ts";
import { openaiChatProblems } from "./openai-chat.ts";
import { openaiResponsesProblems } from "./openai-responses.ts";

/** Everything wrong with one request. `afterPause`: the last answer was a paused turn, so it may be sent back. */
export function validateRequest(
  request: { wire: ScriptedWire; raw: Uint8Array; headers: IncomingHttpHeaders },
  options: StrictOptions,
  afterPause: boolean,
): string[] {
  const { body, problems } = decodeBody(request.raw);
  const prefill = afterPause || options.allowPrefill === true;
  const keys =
    options.requireKey === false
      ? []
      : keyProblems(request.headers, request.wire === "anthropic" ? "anthropic" : "openai");
  switch (request.wire) {
    case "anthropic":
      return [...keys, ...problems, ...anthropicProblems(body, request.headers, prefill)];
    case "openai-chat":
      return [...keys, ...problems, ...openaiChatProblems(body, prefill)];
    case "openai-responses":
      return [...keys, ...problems, ...openaiResponsesProblems(body, prefill)];
  }
}

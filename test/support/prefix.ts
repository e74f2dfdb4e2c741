import { expect } from "vitest";
import type { RecordedRequest } from "../../src/demo/scripted-model/types.ts";

/**
 * Holds a later request against an earlier one: the same system prompt and tools, and messages that begin with
 * all of the earlier ones, byte for byte. Cache marks, which move on by design, do not count.
 */
export function expectPrefix(earlier: RecordedRequest | undefined, later: RecordedRequest | undefined): void {
  const before = partsOf(earlier);
  const after = partsOf(later);
  expect(after.head).toBe(before.head);
  expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
}

/** Pieces of the body as they were sent: what stands before the conversation, and each of its messages. */
function partsOf(request: RecordedRequest | undefined): { head: string; messages: string[] } {
  const body = request?.body as Record<string, unknown>;
  const raw = request?.raw.toString("utf8") ?? "";
  const field = "input" in body ? "input" : "messages";
  const items = body[field] as unknown[];
  // The same text again: what is compared below are then the very bytes of the request.
  expect(raw).toContain(JSON.stringify(items).slice(1, -1));
  const { system, instructions, tools } = body;
  return {
    head: JSON.stringify([system ?? instructions, tools], unmarked),
    messages: items.map((item) => JSON.stringify(item, unmarked)),
  };
}

const unmarked = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);

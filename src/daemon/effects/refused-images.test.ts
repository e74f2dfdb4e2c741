import { expect, test } from "vitest";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import { refusedImages } from "./refused-images.ts";

const image = (hash: string): Extract<ContentBlock, { type: "image" }> => ({
  type: "image",
  blob: { hash, size: 1, mediaType: "image/png" },
});
const message = (kind: Message["kind"], content: ContentBlock[]): Message => ({
  id: `${kind}-${content.length}`,
  sessionId: "s",
  parentId: null,
  runId: null,
  role: kind === "reply" ? "assistant" : "user",
  kind,
  origin: kind === "reply" ? "model" : "user",
  content,
  createdAt: 0,
});
const text: ContentBlock = { type: "text", text: "seen" };
const history = [
  message("prompt", [image("old")]),
  message("reply", [text]),
  message("tool_results", [
    { type: "tool_result", callId: "c", status: "ok", content: [image("new"), image("new")] },
  ]),
];
const refusal = {
  kind: "invalid_request" as const,
  message: "messages.2: Could not process image",
  status: 400,
};

test("a refusal is about the pictures that no model has answered to", () => {
  expect(refusedImages(refusal, history, [])).toEqual(["new"]);
});

test("when those are out already, about any", () => {
  expect(refusedImages(refusal, history, ["new"])).toEqual(["old"]);
  expect(refusedImages(refusal, history, ["new", "old"])).toEqual([]);
});

test("other failures are about no picture", () => {
  expect(refusedImages({ ...refusal, message: "max_tokens: too large" }, history, [])).toEqual([]);
  expect(refusedImages({ ...refusal, status: 529 }, history, [])).toEqual([]);
});

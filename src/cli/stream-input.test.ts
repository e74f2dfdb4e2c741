import { expect, it } from "vitest";
import type { PromptPart } from "../protocol/rpc.ts";
import { inputPrompts } from "./stream-input.ts";
import { testHost } from "./testing/test-host.ts";

async function prompts(input: string): Promise<PromptPart[][]> {
  const all: PromptPart[][] = [];
  for await (const prompt of inputPrompts(testHost({ input }))) all.push(prompt);
  return all;
}
const line = (content: unknown, more = {}): string =>
  `${JSON.stringify({ type: "user", message: { role: "user", content }, ...more })}\n`;

it("gives one prompt a line, texts and images; blank lines and CRLF do not matter", async () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const input = `${line("one").trimEnd()}\r\n\n${line([{ type: "text", text: "two\u2028" }, image], { session_id: "s" })}`;
  expect(await prompts(input)).toEqual([
    [{ type: "text", text: "one" }],
    [
      { type: "text", text: "two\u2028" },
      { type: "image", mediaType: "image/png", base64: "AAAA" },
    ],
  ]);
});

it.each([
  ["{", "is not JSON"],
  ['{"type":"control_request"}', "is no {"],
  ['{"type":"user"}', "is no {"],
  [line(7), "has no content"],
  [line([{ type: "tool_result" }]), "has a content block that is neither text nor a base64 image"],
  [
    line([{ type: "image", source: { type: "url", url: "http://x" } }]),
    "has a content block that is neither text nor a base64 image",
  ],
])("a bad line is named: %s", async (bad, why) => {
  await expect(prompts(`${line("ok")}\n${bad}`)).rejects.toMatchObject({
    code: "bad_input",
    message: expect.stringContaining(`line 3 of standard input ${why}`),
  });
});

import { describe, expect, it } from "vitest";
import type { ModelRef, ModelRequest, RequestBlock, RequestMessage } from "../../protocol/model-port.ts";
import { nothingSettled, validateRequest } from "./validate.ts";

const model: ModelRef = {
  id: "p/m",
  provider: "p",
  model: "m",
  wire: "anthropic",
  baseUrl: "",
  keyNames: [],
  contextWindow: null,
  maxOutput: 1,
  images: true,
  price: null,
};
const user = (...content: RequestBlock[]): RequestMessage => ({ role: "user", content });
const assistant = (...content: RequestBlock[]): RequestMessage => ({ role: "assistant", content });
const text = (value = "x"): RequestBlock => ({ type: "text", text: value });
const call = (id: string, name = "t"): RequestBlock => ({ type: "tool_call", id, name, input: {} });
const result = (callId: string): Extract<RequestBlock, { type: "tool_result" }> => ({
  type: "tool_result",
  callId,
  isError: false,
  content: [{ type: "text", text: "r" }],
});
const thinking = (source = "p/m"): RequestBlock => ({ type: "thinking", text: "h", source });
const image = (mediaType: string, base64: string): RequestBlock => ({ type: "image", mediaType, base64 });

function request(messages: RequestMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: "s", tools: [], messages, maxOutput: 1, cacheKey: "k", toolChoice: "auto", ...more };
}
const tool = (name: string) => ({
  name,
  description: "d",
  inputSchema: { type: "object" as const, properties: {} },
});

describe("validateRequest", () => {
  it("takes a sound one", () => {
    const messages = [
      user(text()),
      assistant(thinking(), text(), call("a"), call("b")),
      user(result("b"), result("a"), text(), image("image/gif", Buffer.from("GIF89a").toString("base64"))),
    ];
    expect(validateRequest(request(messages, { tools: [tool("t")] }), model)).toEqual([]);
  });

  const cases: [string, ModelRequest, RegExp][] = [
    ["no message", request([]), /there is no message/],
    ["an assistant first", request([assistant(text()), user(text())]), /message 0 is the assistant's/],
    ["two of one role", request([user(text()), user(text())]), /message 1 is the user's/],
    ["an assistant last", request([user(text()), assistant(text())]), /the last message is the assistant's/],
    ["an open call at the end", request([user(text()), assistant(call("a"))]), /leaves calls open: a/],
    [
      "a call not answered",
      request([user(text()), assistant(call("a")), user(text())]),
      /a is answered 0 times/,
    ],
    [
      "a call answered twice",
      request([user(text()), assistant(call("a")), user(result("a"), result("a"))]),
      /a is answered 2 times/,
    ],
    [
      "a late answer",
      request([user(text()), assistant(call("a")), user(text()), assistant(text()), user(result("a"))]),
      /message 4: a result for a/,
    ],
    [
      "a result behind text",
      request([user(text()), assistant(call("a")), user(text(), result("a"))]),
      /after other/,
    ],
    [
      "an id twice",
      request([
        user(text()),
        assistant(call("a")),
        user(result("a")),
        assistant(call("a")),
        user(result("a")),
      ]),
      /a is used twice/,
    ],
    [
      "an illegal id",
      request([user(text()), assistant(call("a b")), user(result("a b"))]),
      /"a b" is not legal/,
    ],
    [
      "an illegal name",
      request([user(text()), assistant(call("a", "ä")), user(result("a"))]),
      /tool name "ä"/,
    ],
    ["blank text", request([user(text(" \n"))]), /empty text block/],
    ["an empty message", request([user()]), /message 0 is empty/],
    [
      "an empty result",
      request([user(text()), assistant(call("a")), user({ ...result("a"), content: [] })]),
      /a is empty/,
    ],
    ["a lone surrogate", request([user(text("\ud800"))]), /lone surrogate/],
    ["a lone surrogate in the system prompt", request([user(text())], { system: "\udc00" }), /system prompt/],
    [
      "foreign thinking",
      request([user(text()), assistant(thinking("q/n"), text()), user(text())]),
      /thinking of q\/n/,
    ],
    [
      "thinking at the end",
      request([user(text()), assistant(thinking()), user(text())]),
      /ends with thinking/,
    ],
    ["thinking of a user", request([user(thinking(), text())]), /thinking in a user message/],
    [
      "a call of a user",
      request([user(call("a")), assistant(text()), user(text())]),
      /a call in a user message/,
    ],
    [
      "a wrong media type",
      request([user(image("image/png", Buffer.from("GIF89a").toString("base64")))]),
      /not image\/png/,
    ],
    ["cut base64", request([user(image("image/gif", "R0lGODlh0"))]), /not image\/gif/],
    ["a tool twice", request([user(text())], { tools: [tool("t"), tool("t")] }), /t is listed twice/],
    ["an illegal tool", request([user(text())], { tools: [tool("a.b")] }), /"a.b" is not legal/],
  ];
  it.each(cases)("finds %s", (_name, bad, problem) => {
    expect(validateRequest(bad, model).join("\n")).toMatch(problem);
  });

  it("finds an image for a model without eyes", () => {
    const blind = { ...model, images: false };
    expect(validateRequest(request([user(image("image/gif", "R0lGODlh"))]), blind)).toHaveLength(1);
    expect(validateRequest(request([user(image("image/gif", "R0lGODlh"))]), model)).toEqual([]);
  });

  it("lets a paused answer stand last, with nothing open", () => {
    const paused = request([user(text()), assistant(text())]);
    expect(validateRequest(paused, model, { continuation: true })).toEqual([]);
    const open = request([user(text()), assistant(call("a"))]);
    expect(validateRequest(open, model, { continuation: true })).toHaveLength(1);
  });

  it("goes on where it was, over sound messages only, and anew when the beginning changed", () => {
    const sources = Array.from({ length: 4 }, () => ({}));
    const settled = nothingSettled();
    const check = (messages: RequestMessage[], from: object[]): string[] =>
      validateRequest(request(messages), model, { progress: { settled, sources: from } });
    const start = [user(text()), assistant(call("a")), user(result("a"))];
    expect(check(start, sources.slice(0, 2))).toEqual([]);
    expect(settled.sources).toHaveLength(2);
    expect(check([...start, assistant(call("a")), user(result("a"))], sources)).toEqual([
      "message 3: the call id a is used twice",
    ]);
    expect(settled.sources).toHaveLength(3);
    expect(check([...start, assistant(text(" ")), user(text())], sources)).toHaveLength(1);
    expect(check([user(text(" ")), ...start.slice(1)], [{}, {}])).toEqual(["message 0: an empty text block"]);
    expect(check([start[0]!], [])).toEqual([]);
    expect(check([start[0]!, assistant(call("a")), user(text())], [])).toHaveLength(1);
  });
});

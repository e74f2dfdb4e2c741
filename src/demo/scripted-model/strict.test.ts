import { describe, expect, it } from "vitest";
import { thinkingSeal } from "./seal.ts";
import { validateRequest } from "./strict/validate.ts";
import type { ScriptedWire } from "./types.ts";

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3, 4]).toString("base64");
const headers = { "x-api-key": "k", authorization: "Bearer k", "anthropic-version": "2023-06-01" };

function check(
  wire: ScriptedWire,
  body: unknown,
  options = {},
  paused = false,
  sent: object = headers,
): string[] {
  const raw = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return validateRequest({ wire, raw, headers: sent as never }, options, paused);
}

const anthropic = (messages: unknown[], more: object = {}): unknown => ({
  model: "m",
  max_tokens: 1,
  messages,
  ...more,
});
const use = (id: string): unknown => ({ type: "tool_use", id, name: "x", input: {} });
const result = (id: string): unknown => ({ type: "tool_result", tool_use_id: id, content: "r" });
const text = (value: string): unknown => ({ type: "text", text: value });
const user = (...content: unknown[]): unknown => ({ role: "user", content });
const assistant = (...content: unknown[]): unknown => ({ role: "assistant", content });

describe("strict check, Anthropic", () => {
  const good = [
    user(text("hi"), { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }),
    assistant({ type: "thinking", thinking: "t", signature: thinkingSeal("m", "t") }, use("a"), use("b")),
    user(result("a"), result("b"), text("go")),
  ];
  it("accepts a right conversation", () => expect(check("anthropic", anthropic(good))).toEqual([]));

  const wrong: [string, unknown[], RegExp][] = [
    [
      "open call",
      [user(text("q")), assistant(use("a"), use("b")), user(result("a"))],
      /call b is answered 0 times/,
    ],
    [
      "second answer",
      [user(text("q")), assistant(use("a")), user(result("a"), result("a"))],
      /answered 2 times/,
    ],
    ["result without call", [user(result("z"))], /result for z/],
    [
      "late result",
      [user(text("q")), assistant(use("a")), user(text("x")), assistant(text("y")), user(result("a"))],
      /answered 0 times/,
    ],
    ["same id twice", [user(text("q")), assistant(use("a"), use("a")), user(result("a"))], /used twice/],
    ["empty text", [user(text(" "))], /empty text/],
    ["no content", [user()], /no content/],
    ["two users", [user(text("a")), user(text("b"))], /role user, expected assistant/],
    [
      "text before result",
      [user(text("q")), assistant(use("a")), user(text("x"), result("a"))],
      /after other content/,
    ],
    ["prefill", [user(text("q")), assistant(text("a"))], /ends with an assistant/],
    [
      "foreign thinking",
      [
        user(text("q")),
        assistant({ type: "thinking", thinking: "t", signature: thinkingSeal("o", "t") }, text("a")),
        user(text("b")),
      ],
      /another model/,
    ],
    [
      "changed thinking",
      [
        user(text("q")),
        assistant({ type: "thinking", thinking: "u", signature: thinkingSeal("m", "t") }, text("a")),
        user(text("b")),
      ],
      /was changed/,
    ],
    [
      "broken image",
      [user({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } })],
      /not image\/png/,
    ],
    [
      "no base64",
      [user({ type: "image", source: { type: "base64", media_type: "image/png", data: "A-_" } })],
      /not base64/,
    ],
  ];
  it.each(wrong)("refuses: %s", (_name, messages, problem) => {
    expect(check("anthropic", anthropic(messages)).join("; ")).toMatch(problem);
  });

  it("accepts the answer of a paused turn as last message", () => {
    expect(check("anthropic", anthropic([user(text("q")), assistant(text("a"))]), {}, true)).toEqual([]);
  });

  it("looks at headers, tools, marks and encoding", () => {
    expect(check("anthropic", anthropic(good), {}, false, {}).join()).toMatch(
      /no x-api-key.*anthropic-version/,
    );
    expect(
      check("anthropic", anthropic(good), { requireKey: false }, false, {
        "anthropic-version": "2023-06-01",
      }),
    ).toEqual([]);
    const tools = [
      { name: "t", input_schema: { type: "string" } },
      { name: "t", input_schema: { type: "object", anyOf: [] } },
    ];
    expect(check("anthropic", anthropic(good, { tools })).join()).toMatch(
      /not an object.*listed twice.*union/,
    );
    expect(check("anthropic", '{"model":"\\ud800"}').join()).toMatch(/lone surrogate/);
    const mark = { cache_control: { type: "ephemeral" } };
    expect(
      check(
        "anthropic",
        anthropic(good, { system: [1, 2, 3, 4, 5].map(() => ({ type: "text", text: "s", ...mark })) }),
      ).join(),
    ).toMatch(/5 cache marks/);
    expect(
      validateRequest({ wire: "anthropic", raw: Buffer.from([0x22, 0xff, 0x22]), headers }, {}, false).join(),
    ).toMatch(/not valid UTF-8/);
  });
});

describe("strict check, OpenAI Chat", () => {
  const call = (id: string, args = "{}"): unknown => ({
    id,
    type: "function",
    function: { name: "x", arguments: args },
  });
  const said = (...calls: unknown[]): unknown => ({ role: "assistant", content: null, tool_calls: calls });
  const tool = (id: string): unknown => ({ role: "tool", tool_call_id: id, content: "r" });
  const chat = (...messages: unknown[]): unknown => ({ model: "m", stream: true, messages });
  const ask = { role: "user", content: "q" };

  it("accepts a right conversation", () => {
    expect(
      check(
        "openai-chat",
        chat({ role: "system", content: "s" }, ask, said(call("a"), call("b")), tool("b"), tool("a"), ask),
      ),
    ).toEqual([]);
  });
  it.each([
    ["open call", [ask, said(call("a")), ask], /answered 0 times/],
    ["stray result", [ask, tool("a")], undefined],
    ["bad arguments", [ask, said(call("a", "[1]")), tool("a")], /no JSON object text/],
    ["empty assistant", [ask, { role: "assistant", content: "" }, ask], /empty content/],
    ["late system", [ask, { role: "system", content: "s" }], /system message inside/],
    ["prefill", [ask, { role: "assistant", content: "x" }], /ends with an assistant/],
  ])("refuses: %s", (_name, messages, problem) => {
    const found = check("openai-chat", chat(...messages)).join("; ");
    expect(found).toMatch(problem ?? /result for a/);
  });
});

describe("strict check, OpenAI Responses", () => {
  const call = (id: string): unknown => ({ type: "function_call", call_id: id, name: "x", arguments: "{}" });
  const output = (id: string): unknown => ({ type: "function_call_output", call_id: id, output: "r" });
  const reasoning = (model: string): unknown => ({
    type: "reasoning",
    summary: [],
    encrypted_content: thinkingSeal(model, ""),
  });
  const ask = { role: "user", content: [{ type: "input_text", text: "q" }] };
  const body = (...input: unknown[]): unknown => ({ model: "m", store: false, input });

  it("accepts a right conversation", () => {
    expect(
      check(
        "openai-responses",
        body(ask, reasoning("m"), call("a"), call("b"), output("a"), output("b"), ask),
      ),
    ).toEqual([]);
  });
  it.each([
    ["open call", [ask, call("a")], /answered 0 times/],
    ["stray output", [ask, output("a")], /result for a/],
    ["foreign reasoning", [ask, reasoning("o"), call("a"), output("a")], /another model/],
    ["dangling reasoning", [ask, reasoning("m")], /without what followed/],
  ])("refuses: %s", (_name, input, problem) => {
    expect(check("openai-responses", body(...input)).join("; ")).toMatch(problem);
  });
});

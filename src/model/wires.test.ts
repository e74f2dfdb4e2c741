import { afterEach, describe, expect, it } from "vitest";
import { startScriptedModel } from "../demo/scripted-model/server.ts";
import type { Script, ScriptedModel, ScriptedModelOptions, Turn } from "../demo/scripted-model/types.ts";
import type { ModelEvent, ModelRef, ModelRequest, RequestBlock, WireName } from "../protocol/model-port.ts";
import { openaiChatBody } from "./openai-chat/request.ts";
import { createModelPort, type ModelConnections } from "./stream.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((item) => item.close()));
});

const WIRES: WireName[] = ["anthropic", "openai-chat", "openai-responses"];
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3, 4]).toString("base64");
const SCHEMA = { type: "object" as const, properties: { path: { type: "string" } } };
const TOOLS = ["read", "write"].map((name) => ({ name, description: `${name}s`, inputSchema: SCHEMA }));

type Bench = {
  server: ScriptedModel;
  port: ModelConnections;
  model: ModelRef;
  ask(messages: ModelRequest["messages"], more?: Partial<Asked>): Promise<ModelEvent[]>;
};
type Asked = Parameters<ModelConnections["stream"]>[0] & { request: ModelRequest };

const modelOf = (wire: WireName, url: string, more: Partial<ModelRef> = {}): ModelRef => ({
  id: "test/m-1",
  provider: "test",
  model: "m-1",
  wire,
  baseUrl: wire === "anthropic" ? url : `${url}/v1`,
  keyNames: ["TEST_KEY"],
  contextWindow: 200_000,
  maxOutput: 1000,
  images: true,
  price: null,
  ...more,
});
const requestOf = (messages: ModelRequest["messages"], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "be brief",
  tools: TOOLS,
  messages,
  maxOutput: 500,
  cacheKey: "session-1",
  toolChoice: "auto",
  ...more,
});

async function bench(
  wire: WireName,
  script: Script,
  options: Partial<ScriptedModelOptions & { bodyLimit: number }> & { model?: Partial<ModelRef> } = {},
): Promise<Bench> {
  const server = await startScriptedModel({ script, strict: true, ...options });
  const port = createModelPort({ bodyLimit: options.bodyLimit });
  open.push(port, server);
  const model = modelOf(wire, server.url, options.model);
  let ids = 0;
  return {
    server,
    port,
    model,
    ask: async (messages, more = {}) => {
      const events: ModelEvent[] = [];
      const call = {
        model,
        request: requestOf(messages),
        credentials: { TEST_KEY: "key-123456" },
        environment: {},
        newId: () => `id-${++ids}`,
        signal: new AbortController().signal,
        timeoutMs: 10_000,
        ...more,
      };
      for await (const event of port.stream(call)) events.push(event);
      return events;
    },
  };
}

const user = (...content: (RequestBlock | string)[]): ModelRequest["messages"][number] => ({
  role: "user",
  content: content.map((item) => (typeof item === "string" ? { type: "text", text: item } : item)),
});
const result = (callId: string, text = "r", isError = false): RequestBlock => ({
  type: "tool_result",
  callId,
  isError,
  content: [{ type: "text", text }],
});

type End = Extract<ModelEvent, { type: "message_end" }>;
type Failed = Extract<ModelEvent, { type: "failed" }>;

function ended(events: ModelEvent[]): End {
  const last = events.at(-1);
  if (last?.type !== "message_end") throw new Error(`no message_end: ${JSON.stringify(last)}`);
  return last;
}
function failed(events: ModelEvent[]): Failed {
  const last = events.at(-1);
  if (last?.type !== "failed") throw new Error(`not failed: ${JSON.stringify(last)}`);
  return last;
}
/** The reply as the next request carries it. */
const back = (end: End): ModelRequest["messages"][number] => ({
  role: "assistant",
  content: end.content.map((block) =>
    block.type === "tool_call"
      ? {
          type: "tool_call",
          id: block.id,
          name: block.name,
          input: block.input,
          invalidRaw: block.invalid?.raw,
        }
      : block,
  ),
});
const textOf = (end: End): string =>
  end.content.map((block) => (block.type === "text" ? block.text : "")).join("");
// biome-ignore lint/suspicious/noExplicitAny: three wires, looked at loosely
type Body = any;
const body = (server: ScriptedModel, n: number): Body => server.requests[n]?.body;

describe.each(WIRES)("%s", (wire) => {
  it("streams text in order and ends once", async () => {
    const { ask, server } = await bench(wire, [{ text: "Hällo 🙂 wörld", writeSize: 5 }]);
    const events = await ask([user("hi")]);
    expect(events[0]).toEqual({ type: "message_start" });
    const deltas = events.filter((event) => event.type === "text_delta").map((event) => event.text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("Hällo 🙂 wörld");
    expect(ended(events)).toMatchObject({
      stopReason: "end_turn",
      content: [{ type: "text", text: "Hällo 🙂 wörld" }],
    });
    expect(events.filter((event) => event.type === "message_end" || event.type === "failed")).toHaveLength(1);
    expect(server.problems).toEqual([]);
  });

  it("assembles parallel calls split over chunks, with our ids, and replays them", async () => {
    const { ask, server } = await bench(wire, [
      {
        text: "I look.",
        chunkSize: 3,
        calls: [
          { name: " read ", input: { path: "ä/b", n: [1, { deep: true }] }, id: "same" },
          { name: "nope", input: {}, id: "same2" },
        ],
      },
      { text: "done" },
    ]);
    const events = await ask([user("hi")]);
    const end = ended(events);
    expect(end.stopReason).toBe("tool_use");
    expect(end.content).toEqual([
      { type: "text", text: "I look." },
      { type: "tool_call", id: "id-1", name: "read", input: { path: "ä/b", n: [1, { deep: true }] } },
      { type: "tool_call", id: "id-2", name: "nope", input: {} },
    ]);
    expect(events.filter((event) => event.type === "tool_call_start").map((event) => event.name)).toEqual([
      "read",
      "nope",
    ]);
    const chars = events.filter((event) => event.type === "tool_call_delta" && event.index === 0);
    expect(chars.reduce((sum, event) => sum + (event as { chars: number }).chars, 0)).toBe(
      '{"path":"ä/b","n":[1,{"deep":true}]}'.length,
    );
    expect(events.filter((event) => event.type === "tool_call_end")).toHaveLength(2);
    await ask([user("hi"), back(end), user("now", result("id-1"), result("id-2", "no such tool", true))]);
    expect(server.problems).toEqual([]);
    expect(server.requests[1]?.raw.toString()).toContain('"id-2"');
  });

  it("sends the same bytes for the same request, and keeps the prefix when the conversation grows", async () => {
    const { ask, server } = await bench(wire, { turns: [{ text: "one" }], repeatLast: true });
    const first = [user("a"), back(ended(await ask([user("a")]))), user("b")];
    const end = ended(await ask(first));
    await ask(first);
    await ask([...first, back(end), user("c")]);
    const [, one, same, grown] = server.requests.map((request) => request.raw.toString());
    expect(same).toBe(one);
    const bare = (text = ""): string => text.replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, "");
    const list = wire === "openai-responses" ? "input" : "messages";
    const before = JSON.stringify(JSON.parse(bare(one))[list]).slice(0, -1);
    expect(JSON.stringify(JSON.parse(bare(grown))[list]).startsWith(before)).toBe(true);
    expect(server.problems).toEqual([]);
  });

  it("keeps arguments that are no object from running and never mends them", async () => {
    const raws = ['{"command":"rm -rf x', "[1]", "null", '"x"', "", '{"a":"\\ud800"}'];
    const { ask, server } = await bench(wire, [
      { calls: raws.map((raw) => ({ name: "read", raw })) },
      { text: "ok" },
    ]);
    const end = ended(await ask([user("q")]));
    const calls = end.content.filter((block) => block.type === "tool_call");
    expect(calls.map((call) => call.input)).toEqual([{}, {}, {}, {}, {}, { a: "\ufffd" }]);
    expect(calls.map((call) => call.invalid?.raw)).toEqual([...raws.slice(0, 4), undefined, undefined]);
    expect(calls[1]?.invalid?.reason).toBe("the arguments are an array, not a JSON object");
    await ask([user("q"), back(end), user(...calls.map((call) => result(call.id, "bad", true)))]);
    expect(server.problems).toEqual([]);
  });

  it("sends pictures, also in results, and a note to models without sight", async () => {
    const picture = { type: "image" as const, mediaType: "image/png", base64: PNG };
    const call: RequestBlock = { type: "tool_call", id: "c1", name: "read", input: {} };
    const talk = [
      user("look", picture),
      { role: "assistant" as const, content: [call] },
      user({
        type: "tool_result",
        callId: "c1",
        isError: false,
        content: [{ type: "text", text: "t" }, picture],
      }),
    ];
    const seeing = await bench(wire, [{ text: "ok" }]);
    ended(await seeing.ask(talk));
    expect(seeing.server.problems).toEqual([]);
    expect(seeing.server.requests[0]?.raw.toString().split(PNG)).toHaveLength(3);
    const blind = await bench(wire, [{ text: "ok" }], { model: { images: false } });
    ended(await blind.ask(talk));
    expect(blind.server.problems).toEqual([]);
    expect(blind.server.requests[0]?.raw.toString()).not.toContain(PNG);
    expect(blind.server.requests[0]?.raw.toString()).toContain("test/m-1 takes no pictures");
  });

  it("gives thinking back to the model that made it, and to no other", async () => {
    const { ask, server, model } = await bench(wire, {
      turns: [
        { thinking: "hm, 木", text: "so", calls: [{ name: "read", input: {} }] },
        { text: "ok" },
        { text: "ok" },
      ],
    });
    const end = ended(await ask([user("q")]));
    expect(end.content[0]).toMatchObject({ type: "thinking", text: "hm, 木", source: "test/m-1" });
    const talk = [user("q"), back(end), user(result("id-1"))];
    await ask(talk);
    expect(server.requests[1]?.raw.toString()).toContain("hm, 木");
    await ask(talk, { model: { ...model, id: "test/m-2", model: "m-2" } });
    expect(server.requests[2]?.raw.toString()).not.toContain("hm, 木");
    expect(server.problems).toEqual([]);
  });

  it("offers tools but forbids calls in a wrap-up", async () => {
    const { ask, server } = await bench(wire, { turns: [{ text: "ok" }], repeatLast: true });
    await ask([user("q")]);
    await ask([user("q")], { request: requestOf([user("q")], { toolChoice: "none" }) });
    expect(body(server, 1).tools).toEqual(body(server, 0).tools);
    expect(body(server, 0).tool_choice).toBeUndefined();
    expect(body(server, 1).tool_choice).toEqual(wire === "anthropic" ? { type: "none" } : "none");
  });

  it("makes a valid request of blank texts, foreign thinking and neighbours of one role", async () => {
    const { ask, server } = await bench(wire, [{ text: "ok" }]);
    const foreign: RequestBlock = {
      type: "thinking",
      text: "x",
      source: "other/m",
      data: { signature: "s" },
    };
    const call: RequestBlock = {
      type: "tool_call",
      id: "weird id/%",
      name: "bad name!",
      input: {},
      invalidRaw: "{",
    };
    await ask([
      user("a", " "),
      { role: "assistant", content: [foreign] },
      user("b"),
      { role: "assistant", content: [{ type: "text", text: "x " }, call] },
      user("first", result("weird id/%")),
    ]);
    expect(server.problems).toEqual([]);
  });

  it.each([
    ["reset", /broke off/],
    ["clean", /without its closing events/],
  ] as const)("tells a cut stream (%s) and keeps its text, but no half call", async (type, message) => {
    const turn: Turn = {
      text: "Hel",
      calls: [{ name: "write", input: { path: "long enough" } }],
      cut: { type, after: 12 },
    };
    const { ask } = await bench(wire, [turn]);
    const last = failed(await ask([user("q")]));
    expect(last).toMatchObject({
      retryable: true,
      error: { kind: "network" },
      partial: [{ type: "text", text: "Hel" }],
    });
    expect(last.error.message).toMatch(message);
  });

  it("decodes and classifies errors", async () => {
    const cases: [NonNullable<Turn["error"]>, object][] = [
      [
        { status: 429, headers: { "retry-after": "3" }, message: "slow down" },
        {
          retryable: true,
          retryAfterMs: 3000,
          error: { kind: "rate_limit", message: "slow down (HTTP 429)", status: 429 },
        },
      ],
      [
        { status: 529, headers: { "retry-after-ms": "70" } },
        { retryable: true, retryAfterMs: 70, error: { kind: "overloaded" } },
      ],
      [
        { status: 503, body: "<b>gone</b>" },
        { retryable: true, retryAfterMs: null, error: { kind: "server", message: "HTTP 503: <b>gone</b>" } },
      ],
      [{ status: 408 }, { retryable: true }],
      [{ status: 409 }, { retryable: true }],
      [
        { status: 401, message: "bad key-123456" },
        {
          retryable: false,
          error: {
            kind: "authentication",
            message: "authentication failed: bad [key] (HTTP 401); the key came from TEST_KEY",
          },
        },
      ],
      [{ status: 403 }, { retryable: false, error: { kind: "permission" } }],
      [{ status: 404 }, { retryable: false, error: { kind: "not_found" } }],
      [
        { status: 400, message: "nope" },
        { retryable: false, error: { kind: "invalid_request", message: "nope (HTTP 400)" } },
      ],
      [
        { status: 400, message: "prompt is too long: 214000 tokens > 200000 maximum" },
        { retryable: false, error: { kind: "context_exceeded" } },
      ],
      [
        { status: 400, body: { error: { code: "context_length_exceeded", message: "x" } } },
        { error: { kind: "context_exceeded" } },
      ],
      [
        { status: 429, body: { error: { code: "insufficient_quota", message: "pay" } } },
        { retryable: false },
      ],
      [{ status: 502, body: "y".repeat(100_000) }, { retryable: true }],
    ];
    const { ask } = await bench(
      wire,
      cases.map(([error]) => ({ error })),
    );
    for (const [, expected] of cases) {
      const last = failed(await ask([user("q")]));
      expect(last).toMatchObject(expected);
      expect(last.error.message.length).toBeLessThan(1100);
    }
  });

  it("tells errors inside the stream", async () => {
    const { ask } = await bench(wire, [
      { text: "abcd", streamError: { type: "overloaded_error", message: "busy", after: 2 } },
      { text: "", streamError: { type: "invalid_request_error", message: "bad" } },
    ]);
    expect(failed(await ask([user("q")]))).toMatchObject({
      retryable: true,
      error: { kind: "overloaded", message: "busy" },
      partial: [{ text: "ab" }],
    });
    expect(failed(await ask([user("q")]))).toMatchObject({
      retryable: false,
      error: { kind: "invalid_request" },
    });
  });

  it("takes broken JSON in a stream for a failure of the server", async () => {
    const { ask } = await bench(wire, [{ raw: ['data: {"type":', "data: {}"] }]);
    expect(failed(await ask([user("q")]))).toMatchObject({ retryable: true, error: { kind: "server" } });
  });

  it("takes a whole JSON document for an answer", async () => {
    const { ask } = await bench(wire, [
      {
        thinking: "t",
        text: "whole",
        calls: [{ name: "read", input: { a: 1 } }],
        json: true,
        usage: { input: 5, output: 7 },
      },
    ]);
    const end = ended(await ask([user("q")]));
    expect(end.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_call"]);
    expect(end).toMatchObject({ stopReason: "tool_use", usage: { input: 5, output: 7 } });
  });

  it("counts tokens, and tells null where nothing was told", async () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const { ask } = await bench(
      wire,
      [
        { text: "a", usage: { input: 10, output: 20, cacheRead: 5000, cacheWrite: 0 } },
        { text: "a", usage: null },
        {
          text: "a",
          usage: { input: null, output: null, cacheRead: null, cacheWrite: null, startOutput: null },
        },
      ],
      { model: { price } },
    );
    const nothing = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null };
    const first = ended(await ask([user("q")])).usage;
    expect(first).toMatchObject({ input: 10, output: 20, cacheRead: 5000, cacheWrite: 0 });
    expect(first.cost).toBeCloseTo((30 + 300 + 1500) / 1e6, 9);
    expect(ended(await ask([user("q")])).usage).toEqual(nothing);
    expect(ended(await ask([user("q")])).usage).toEqual(nothing);
  });

  it("stops on abort within 200 ms, with what had come", async () => {
    const { ask, server } = await bench(wire, [
      { text: "Hello", hold: 3 },
      { text: "x", hold: "request" },
    ]);
    for (const partial of [[{ type: "text", text: "Hel" }], []]) {
      const abort = new AbortController();
      const running = ask([user("q")], { signal: abort.signal });
      await server.waitForRequest(partial.length > 0 ? 1 : 2, 5000);
      await new Promise((done) => setTimeout(done, 80));
      const before = performance.now();
      abort.abort();
      const last = failed(await running);
      expect(performance.now() - before).toBeLessThan(200);
      expect(last).toMatchObject({
        retryable: false,
        partial,
        error: { kind: "internal", message: "interrupted" },
      });
    }
  });

  it("ends a silent request after its time", async () => {
    const { ask } = await bench(wire, [{ text: "x", hold: "request" }]);
    expect(failed(await ask([user("q")], { timeoutMs: 80 }))).toMatchObject({
      retryable: true,
      error: { kind: "timeout" },
    });
  });

  it("caps the answer", async () => {
    const { ask } = await bench(
      wire,
      [{ text: "x".repeat(50_000) }, { text: "x".repeat(50_000), json: true }],
      { bodyLimit: 20_000 },
    );
    for (let n = 0; n < 2; n++) {
      expect(failed(await ask([user("q")]))).toMatchObject({
        retryable: false,
        error: { kind: "too_large" },
      });
    }
  });

  it("maps stop reasons", async () => {
    const { ask } = await bench(wire, [
      { text: "a", stop: "max_tokens" },
      { text: "a", stop: "refusal" },
      { stop: "end_turn" },
    ]);
    expect(ended(await ask([user("q")])).stopReason).toBe("max_tokens");
    expect(ended(await ask([user("q")])).stopReason).toBe("refusal");
    expect(ended(await ask([user("q")]))).toMatchObject({ stopReason: "end_turn", content: [] });
  });

  it("uses one connection again and again", async () => {
    const { ask, server } = await bench(wire, { turns: [{ text: "ok" }], repeatLast: true });
    for (let n = 0; n < 3; n++) ended(await ask([user("q")]));
    expect(new Set(server.requests.map((request) => request.connection)).size).toBe(1);
  });
});

describe("anthropic alone", () => {
  it("marks the ends of tools and system and the last two user messages", async () => {
    const { ask, server } = await bench("anthropic", [{ text: "ok" }]);
    const said = (text: string): ModelRequest["messages"][number] => ({
      role: "assistant",
      content: [{ type: "text", text }],
    });
    await ask([user("a"), said("b"), user("c"), said("d"), user("e", "f")]);
    const { system, tools, messages } = body(server, 0);
    const marked = (item: object): boolean => "cache_control" in item;
    expect(system.map(marked)).toEqual([true]);
    expect(tools.map(marked)).toEqual([false, true]);
    expect(messages.map((message: { content: object[] }) => message.content.map(marked))).toEqual([
      [false],
      [false],
      [true],
      [false],
      [false, true],
    ]);
  });

  it("asks those that think by themselves to show it", async () => {
    const { ask, server, model } = await bench("anthropic", { turns: [{ text: "ok" }], repeatLast: true });
    for (const name of [
      "claude-opus-5-5",
      "claude-sonnet-5",
      "claude-sonnet-4-6",
      "claude-3-5-haiku-20241022",
    ]) {
      await ask([user("q")], { model: { ...model, model: name } });
    }
    const shown = { type: "adaptive", display: "summarized" };
    expect(server.requests.map((_, n) => body(server, n).thinking)).toEqual([
      shown,
      shown,
      undefined,
      undefined,
    ]);
  });

  it("sends redacted and signed thinking back in order, and keys by their kind", async () => {
    const script: Turn[] = [
      {
        content: [
          { type: "thinking", text: "a" },
          { type: "redacted_thinking" },
          { type: "thinking", text: "b" },
          { type: "text", text: "x" },
        ],
      },
      { text: "ok" },
    ];
    const { ask, server, model } = await bench("anthropic", script);
    const end = ended(await ask([user("q")]));
    await ask([user("q"), back(end), user("r")], {
      model: { ...model, keyNames: ["MY_AUTH_TOKEN"] },
      credentials: { MY_AUTH_TOKEN: "tok" },
    });
    expect(body(server, 1).messages[1].content.map((block: { type: string }) => block.type)).toEqual([
      "thinking",
      "redacted_thinking",
      "thinking",
      "text",
    ]);
    expect(server.problems).toEqual([]);
    expect(server.requests[0]?.headers).toMatchObject({
      "x-api-key": "key-123456",
      "anthropic-version": "2023-06-01",
    });
    expect(server.requests[1]?.headers.authorization).toBe("Bearer tok");
    expect(server.requests[1]?.headers["x-api-key"]).toBeUndefined();
  });

  it("does not add running totals up (H49)", async () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const { ask } = await bench(
      "anthropic",
      [
        { text: "a", usage: { input: 10, cacheWrite: 1000, cacheRead: 5000, output: 20 } },
        { text: "b", usage: { input: 7, cacheRead: 6000, output: 30 } },
      ],
      { model: { price } },
    );
    const usages = [ended(await ask([user("q")])).usage, ended(await ask([user("q")])).usage];
    expect(usages[0]).toMatchObject({ input: 10, output: 20, cacheRead: 5000, cacheWrite: 1000 });
    expect(usages[1]).toMatchObject({ input: 7, output: 30, cacheRead: 6000, cacheWrite: 0 });
    expect((usages[0]?.cost ?? 0) + (usages[1]?.cost ?? 0)).toBeCloseTo(0.007851, 9);
  });

  it("tells two calls with one id apart (H17)", async () => {
    const { ask } = await bench("anthropic", [
      {
        calls: [
          { name: "write", input: { path: "a" }, id: "t1" },
          { name: "write", input: { path: "b" }, id: "t1" },
          { name: "read", input: {}, id: null },
        ],
      },
    ]);
    const calls = ended(await ask([user("q")])).content as { id: string; input: object }[];
    expect(calls.map((call) => [call.id, call.input])).toEqual([
      ["id-1", { path: "a" }],
      ["id-2", { path: "b" }],
      ["id-3", {}],
    ]);
  });

  it("continues a paused turn and knows an exceeded window (H20)", async () => {
    const { ask, server } = await bench("anthropic", [
      { text: "part1 ", stop: "pause_turn" },
      { text: "part2" },
      { text: "cut", stop: "model_context_window_exceeded" },
    ]);
    const end = ended(await ask([user("q")]));
    expect(end.stopReason).toBe("pause_turn");
    expect(textOf(ended(await ask([user("q"), back(end)])))).toBe("part2");
    expect(body(server, 1).messages.at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "part1" }],
    });
    expect(ended(await ask([user("q")])).stopReason).toBe("context_exceeded");
    expect(server.problems).toEqual([]);
  });

  it("passes on what a refusal says (H14)", async () => {
    const raw = [
      { type: "message_start", message: { usage: { input_tokens: 3 } } },
      { type: "message_delta", delta: { stop_reason: "refusal", stop_details: { explanation: "not that" } } },
      { type: "message_stop" },
    ];
    const { ask } = await bench("anthropic", [{ raw }]);
    expect(ended(await ask([user("q")]))).toMatchObject({
      stopReason: "refusal",
      content: [],
      note: "not that",
    });
  });
});

describe("openai-chat alone", () => {
  it("tells calls without id and index, with object arguments, apart (H17)", async () => {
    const odd = { id: null, index: null, argumentsAsObject: true };
    const { ask, server } = await bench("openai-chat", [
      {
        calls: [
          { name: "write", input: { path: "c" }, ...odd },
          { name: "write", input: { path: "d" }, ...odd },
          { name: "read", raw: "", id: null, index: null, whole: true },
          { name: "read", raw: "", id: null, index: null, whole: true },
        ],
        usage: null,
      },
      { text: "ok" },
    ]);
    const end = ended(await ask([user("q")]));
    expect(end.content.map((block) => (block as { input: object }).input)).toEqual([
      { path: "c" },
      { path: "d" },
      {},
      {},
    ]);
    await ask([user("q"), back(end), user(...[1, 2, 3, 4].map((n) => result(`id-${n}`)))]);
    expect(server.problems).toEqual([]);
  });

  it("tells calls apart that all claim index 0 (H18)", async () => {
    const { ask } = await bench("openai-chat", [
      {
        calls: [
          { name: "write", input: { path: "p1", content: "1" }, id: "c1", index: 0 },
          { name: "bash", input: { command: "echo two > p2" }, id: "c2", index: 0 },
          { name: "read", input: {}, id: null, index: 0, whole: true },
        ],
        stop: "stop",
      },
    ]);
    const end = ended(await ask([user("q")]));
    expect(end.stopReason).toBe("tool_use");
    expect(end.content.map((block) => (block as { name: string }).name)).toEqual(["write", "bash", "read"]);
    expect(end.content[1]).toMatchObject({ input: { command: "echo two > p2" } });
  });

  it("gives reasoning_content back exactly and only where it was (H19)", async () => {
    const { ask, server } = await bench("openai-chat", [
      { thinking: "think-α", chunkSize: 3, calls: [{ name: "read", input: {} }] },
      { text: "b" },
      { text: "c" },
    ]);
    const one = ended(await ask([user("q")]));
    const two = ended(await ask([user("q"), back(one), user(result("id-1"))]));
    await ask([user("q"), back(one), user(result("id-1")), back(two), user("r")]);
    const sent = body(server, 2).messages.filter((message: { role: string }) => message.role === "assistant");
    expect(sent[0].reasoning_content).toBe("think-α");
    expect("reasoning_content" in sent[1]).toBe(false);
    expect(sent[0].content).toBe(null);
  });

  it("keeps text and reasoning apart however they alternate", async () => {
    const chunk = (delta: object): object => ({ choices: [{ index: 0, delta, finish_reason: null }] });
    const text = { content: "t" };
    const odd = { reasoning_content: 'r"\n' };
    const deltas = [text, text, odd, text, odd, odd, text, { reasoning_content: "s" }, text, text];
    const { ask } = await bench("openai-chat", [{ raw: [...deltas.map(chunk), "data: [DONE]"] }]);
    const end = ended(await ask([user("q")]));
    expect(end.content.map((block) => (block.type === "tool_call" ? "" : block.text))).toEqual([
      "tt",
      'r"\n',
      "t",
      'r"\nr"\n',
      "t",
      "s",
      "tt",
    ]);
  });

  it("says in the text that a result is an error", async () => {
    const { ask, server } = await bench("openai-chat", [{ text: "ok" }]);
    const calls: RequestBlock[] = ["a", "b"].map((id) => ({
      type: "tool_call",
      id,
      name: "read",
      input: {},
    }));
    await ask([
      user("q"),
      { role: "assistant", content: calls },
      user(result("a", "no file", true), result("b", "Error: bad", true)),
    ]);
    expect(
      body(server, 0)
        .messages.slice(3)
        .map((message: { content: string }) => message.content),
    ).toEqual(["Error: no file", "Error: bad"]);
  });

  it("takes a stream without [DONE], with a refusal, and with an error of its host", async () => {
    const chunk = (delta: object, finish: string | null = null): object => ({
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const { ask } = await bench("openai-chat", [
      { raw: [chunk({ content: "hi" }), chunk({}, "stop")] },
      { raw: [chunk({ refusal: "I will not" }), chunk({}, "stop"), "data: [DONE]"] },
      { raw: [{ error: { message: "upstream overloaded", code: 502 } }] },
    ]);
    expect(textOf(ended(await ask([user("q")])))).toBe("hi");
    expect(ended(await ask([user("q")]))).toMatchObject({ stopReason: "refusal", note: "I will not" });
    expect(failed(await ask([user("q")]))).toMatchObject({ retryable: true });
  });

  it("gives Mistral the ids it wants", () => {
    const model = modelOf("openai-chat", "", { baseUrl: "https://api.mistral.ai/v1" });
    const call: RequestBlock = { type: "tool_call", id: "0192-abc", name: "read", input: {} };
    const sent: Body = openaiChatBody(
      model,
      requestOf([user("q"), { role: "assistant", content: [call] }, user(result("0192-abc"))]),
    );
    expect(sent.messages[2].tool_calls[0].id).toMatch(/^[a-z0-9]{9}$/);
    expect(sent.messages[3].tool_call_id).toBe(sent.messages[2].tool_calls[0].id);
    expect(sent.stream_options).toBeUndefined();
  });
});

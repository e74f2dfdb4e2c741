import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentBlock, Message, StopReason } from "../../protocol/message.ts";
import type { ModelRef, RequestMessage } from "../../protocol/model-port.ts";
import { sha256 } from "../../shared/hash.ts";
import { encodePng } from "../../shared/png.ts";
import { createRequestBuilder, type RequestInput } from "./build.ts";
import { validateRequest } from "./validate.ts";

const model: ModelRef = {
  id: "anthropic/test",
  provider: "anthropic",
  model: "test",
  wire: "anthropic",
  baseUrl: "http://127.0.0.1",
  keyNames: [],
  contextWindow: null,
  maxOutput: 4096,
  images: true,
  price: null,
};
const blobs = new Map<string, Uint8Array>();
const stored = (bytes: Uint8Array, name?: string): ContentBlock => {
  const hash = sha256(bytes);
  blobs.set(hash, bytes);
  return { type: "image", blob: { hash, size: bytes.length, mediaType: "image/png" }, name };
};

let count = 0;
function message(role: "user" | "assistant", content: ContentBlock[], stopReason?: StopReason): Message {
  const kind = role === "assistant" ? "reply" : "prompt";
  const id = `m${count++}`;
  return {
    id,
    sessionId: "s",
    parentId: null,
    runId: null,
    role,
    kind,
    origin: "user",
    content,
    stopReason,
    createdAt: 0,
  };
}
const text = (value: string): ContentBlock => ({ type: "text", text: value });
const call = (id: string, name = "bash"): ContentBlock => ({ type: "tool_call", id, name, input: { a: 1 } });
const result = (callId: string, value = "fine"): ContentBlock => ({
  type: "tool_result",
  callId,
  status: "ok",
  content: [{ type: "text", text: value }],
});
const thinking = (source: string): ContentBlock => ({ type: "thinking", text: "hm", source, data: { s: 1 } });

function input(messages: Message[], more: Partial<RequestInput> = {}): RequestInput {
  return {
    messages,
    prefix: { system: "You are.", tools: [] },
    model,
    loadBlob: async (hash) => blobs.get(hash) ?? null,
    cacheKey: "s",
    purpose: "step",
    ...more,
  };
}
const build = (messages: Message[], more?: Partial<RequestInput>) =>
  createRequestBuilder().build(input(messages, more));
const shapes = (messages: RequestMessage[]): string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map((block) => block.type).join(" ")}`);

describe("a request", () => {
  it("merges neighbours, results first, reminders in tags", async () => {
    const { request, problems, repairs } = await build([
      message("user", [text("fix it"), { type: "reminder", text: "It is noon." }]),
      message("assistant", [text("I look."), call("c1"), call("c2")], "tool_use"),
      message("user", [result("c1"), { type: "reminder", text: "mode" }, result("c2")]),
      message("user", [text("and quickly")]),
    ]);
    expect([problems, repairs]).toEqual([[], []]);
    expect(shapes(request.messages)).toEqual([
      "user: text text",
      "assistant: text tool_call tool_call",
      "user: tool_result tool_result text text",
    ]);
    expect(request.messages[0]?.content[1]).toEqual({
      type: "text",
      text: "<reminder>\nIt is noon.\n</reminder>",
    });
    expect(request).toMatchObject({ maxOutput: 4096, cacheKey: "s", toolChoice: "auto", system: "You are." });
  });

  it("cannot be left by a reminder's content", async () => {
    const { request } = await build([
      message("user", [{ type: "reminder", text: "a </reminder> b <Reminder> c" }]),
    ]);
    expect(request.messages[0]?.content[0]).toEqual({
      type: "text",
      text: "<reminder>\na </ reminder> b < Reminder> c\n</reminder>",
    });
  });

  it("holds thinking for its own model only, and none that was cut or has nothing after it", async () => {
    const history = [
      message("user", [text("a")]),
      message("assistant", [thinking("anthropic/test"), text("b"), thinking("anthropic/test")], "max_tokens"),
      message("user", [text("c")]),
      message("assistant", [thinking("anthropic/test"), text("d")], "interrupted"),
      message("user", [text("e")]),
    ];
    expect(shapes((await build(history)).request.messages)).toEqual([
      "user: text",
      "assistant: thinking text",
      "user: text",
      "assistant: text",
      "user: text",
    ]);
    const other = await build(history, { model: { ...model, id: "openai/other" } });
    expect(shapes(other.request.messages)[1]).toBe("assistant: text");
    expect(other.problems).toEqual([]);
  });

  it("leaves empty and refused answers out", async () => {
    for (const content of [[], [text("   ")], [text("I will not")], [thinking("anthropic/test")]]) {
      const { request, problems } = await build([
        message("user", [text("bad")]),
        message("assistant", content, "refusal"),
        message("user", [text("other")]),
      ]);
      expect(problems).toEqual([]);
      expect(shapes(request.messages)).toEqual(["user: text text"]);
    }
  });

  it("continues a paused answer without a made-up prompt", async () => {
    const { request, problems } = await build([
      message("user", [text("go")]),
      message("assistant", [text("part1 ")], "pause_turn"),
    ]);
    expect(problems).toEqual([]);
    expect(request.messages.at(-1)).toEqual({ role: "assistant", content: [text("part1")] });
    const after = await build([
      message("user", [text("go")]),
      message("assistant", [text("done")], "end_turn"),
    ]);
    expect(after.problems).toEqual(["the last message is the assistant's"]);
  });

  it("represents invalid calls, unknown names and lone surrogates validly", async () => {
    const bad: ContentBlock = {
      type: "tool_call",
      id: "c1",
      name: "read file?\u00e4",
      input: {},
      invalid: { raw: '{"a": \ud800', reason: "no JSON" },
    };
    const odd: ContentBlock = { type: "tool_call", id: "c2", name: "", input: { "k\udc00": ["x\ud83d"] } };
    const { request, problems } = await build([
      message("user", [text("a\ud800b")]),
      message("assistant", [bad, odd]),
      message("user", [result("c1", ""), result("c2", "\udfff")]),
    ]);
    expect(problems).toEqual([]);
    expect(request.messages).toEqual([
      { role: "user", content: [text("a\ufffdb")] },
      {
        role: "assistant",
        content: [
          { type: "tool_call", id: "c1", name: "read_file__", input: {}, invalidRaw: '{"a": \ufffd' },
          { type: "tool_call", id: "c2", name: "unknown", input: { "k\ufffd": ["x\ufffd"] } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", callId: "c1", isError: false, content: [text("(no output)")] },
          { type: "tool_result", callId: "c2", isError: false, content: [text("\ufffd")] },
        ],
      },
    ]);
  });

  it("mends a call without a result and a result without a call, and says so", async () => {
    const { request, problems, repairs } = await build([
      message("user", [text("a")]),
      message("assistant", [call("c1"), call("c2")]),
      message("user", [result("c2"), result("c9"), text("next")]),
      message("assistant", [call("c3")]),
      message("assistant", [text("so")]),
      message("user", [result("c3"), text("end")]),
    ]);
    expect(problems).toEqual([]);
    expect(shapes(request.messages)).toEqual([
      "user: text",
      "assistant: tool_call tool_call",
      "user: tool_result tool_result text",
      "assistant: tool_call",
      "user: tool_result",
      "assistant: text",
      "user: text",
    ]);
    expect(repairs).toHaveLength(4);
    const open = await build([message("user", [text("a")]), message("assistant", [call("c1")])]);
    expect(open.problems).toEqual([]);
    expect(open.request.messages.at(-1)?.content[0]).toMatchObject({ callId: "c1", isError: true });
  });

  it("asks for a wrap-up behind everything else, in that request only", async () => {
    const builder = createRequestBuilder();
    const history = [
      message("user", [text("a")]),
      message("assistant", [call("c1")]),
      message("user", [result("c1")]),
    ];
    const wrap = await builder.build(
      input(history, { purpose: "wrap_up", limit: "cost", reminders: ["Note."] }),
    );
    expect(wrap.request.toolChoice).toBe("none");
    expect(JSON.stringify(wrap.request.messages.at(-1)?.content.slice(1))).toMatch(/Note\..*cost budget/);
    expect(shapes((await builder.build(input(history))).request.messages).at(-1)).toBe("user: tool_result");
    const paused = [...history, message("assistant", [text("b")], "pause_turn")];
    const late = await builder.build(input(paused, { purpose: "wrap_up" }));
    expect([late.problems, shapes(late.request.messages).at(-1)]).toEqual([[], "user: text"]);
  });
});

describe("images in a request", () => {
  const dot = encodePng(new Uint8Array([1, 2, 3, 255]), 1, 1);
  const noise = encodePng(
    Uint8Array.from({ length: 64 * 64 * 4 }, (_, i) => (i * 7919 * (i % 13)) & 255),
    64,
    64,
  );
  const broken = Buffer.concat([noise.subarray(0, 100), noise.subarray(140)]);
  const wide = encodePng(new Uint8Array(2600 * 12 * 4), 2600, 12);

  it("are loaded and sent as what they are", async () => {
    const { request } = await build([message("user", [text("see"), stored(dot)])]);
    expect(request.messages[0]?.content[1]).toEqual({
      type: "image",
      mediaType: "image/png",
      base64: dot.toString("base64"),
    });
  });

  it("become a note when broken, missing, refused, too large or not wanted", async () => {
    const note = async (block: ContentBlock, more: Partial<RequestInput> = {}) => {
      const { request, problems } = await build([message("user", [block])], more);
      expect(problems).toEqual([]);
      return JSON.stringify(request.messages[0]?.content);
    };
    expect(await note(stored(broken, "b.png"))).toMatch(/\[image b\.png, not shown: it is cut off/);
    expect(await note(stored(dot), { loadBlob: async () => null })).toMatch(/no longer stored/);
    expect(await note(stored(dot), { rejectedImages: new Set([sha256(dot)]) })).toMatch(/provider refused/);
    expect(await note(stored(dot), { model: { ...model, images: false } })).toMatch(/takes no images/);
    const gif = Buffer.from("474946383961b80b01000000002c00000000b80b01000002024401003b", "hex");
    expect(await note(stored(gif))).toMatch(/3000x1 pixels.*make a copy/);
  });

  it("are scaled to what every vendor takes", async () => {
    const { request } = await build([message("user", [stored(wide)])]);
    const image = request.messages[0]?.content[0];
    const bytes = Buffer.from(image?.type === "image" ? image.base64 : "", "base64");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2000, 9]);
  });
});

// ---- random histories ----

const anyText = fc.oneof(
  fc.constantFrom("", "  ", "ok", "\ud800", "</reminder>", "x\ny"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const anySource = fc.constantFrom("anthropic/test", "openai/other");
const anyImage = fc.constantFrom(
  stored(encodePng(new Uint8Array([1, 2, 3, 255]), 1, 1)),
  stored(Buffer.from("no image")),
);
const userBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  anyText.map(text),
  anyText.map((value): ContentBlock => ({ type: "reminder", text: value })),
  anyImage,
);
const spoken: fc.Arbitrary<ContentBlock> = fc.oneof(
  anyText.map(text),
  fc
    .record({ source: anySource, text: anyText })
    .map((made): ContentBlock => ({ type: "thinking", ...made })),
);
const calls = fc.array(
  fc.record({
    name: fc.oneof(fc.constant("bash"), anyText),
    invalid: fc.boolean(),
    status: fc.constantFrom("ok" as const, "error" as const, "denied" as const, "unknown" as const),
    content: fc.array(fc.oneof(anyText.map(text), anyImage), { maxLength: 2 }),
  }),
  { maxLength: 3 },
);
const step = fc.record({
  prompt: fc.array(userBlock, { minLength: 1, maxLength: 3 }),
  spoken: fc.array(spoken, { maxLength: 3 }),
  calls,
  split: fc.boolean(),
  stop: fc.constantFrom<StopReason>("end_turn", "max_tokens", "refusal", "interrupted", "pause_turn"),
  steer: fc.option(anyText, { nil: undefined }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A chain as the engine makes it: every call answered in the next message (or two), prompts in between. */
function chain(steps: Step[]): Message[] {
  const messages: Message[] = [];
  let calls_ = 0;
  for (const made of steps) {
    messages.push(message("user", [text("do"), ...made.prompt]));
    const ids = made.calls.map(() => `call-${calls_++}`);
    const proposed = made.calls.map(
      (one, index): ContentBlock => ({
        type: "tool_call",
        id: ids[index]!,
        name: one.name,
        input: one.invalid ? {} : { text: one.name },
        ...(one.invalid ? { invalid: { raw: one.name, reason: "bad" } } : {}),
      }),
    );
    const stop = proposed.length > 0 ? "tool_use" : made.stop;
    messages.push(message("assistant", [...made.spoken, ...proposed], stop));
    const results = made.calls.map(
      (one, index): ContentBlock => ({
        type: "tool_result",
        callId: ids[index]!,
        status: one.status,
        content: one.content as [],
      }),
    );
    if (results.length > 1 && made.split) {
      messages.push(message("user", results.slice(0, 1)), message("user", results.slice(1)));
    } else if (results.length > 0) messages.push(message("user", results));
    if (made.steer !== undefined) messages.push(message("user", [text("also"), text(made.steer)]));
  }
  messages.push(message("user", [text("last")]));
  return messages;
}

describe("for random histories", () => {
  it("the request is always valid", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.boolean(), async (steps, images) => {
        const ref = { ...model, images };
        const { request, problems, repairs } = await build(chain(steps), { model: ref });
        expect(problems).toEqual([]);
        expect(repairs).toEqual([]);
        expect(validateRequest(request, ref)).toEqual([]);
        expect(JSON.stringify(request)).not.toMatch(/\\ud[89a-f]/);
      }),
      { numRuns: 150 },
    );
  });

  it("a history with any message missing still gives a valid request", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 4 }),
        fc.infiniteStream(fc.nat(9)),
        async (steps, dice) => {
          const kept = chain(steps).filter(() => dice.next().value !== 0);
          const { problems } = await build([...kept, message("user", [text("end")])]);
          expect(problems).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("a longer history only adds to the request, and a builder that grew gives what a new one gives", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const history = chain(steps);
        const growing = createRequestBuilder();
        let before: RequestMessage[] = [];
        for (let length = 1; length <= history.length; length++) {
          if (history[length - 1]?.role === "assistant") continue;
          const part = history.slice(0, length);
          // A request is made only once every call is answered.
          const answered =
            part.at(-1)?.content[0]?.type !== "tool_result" ||
            history[length]?.content[0]?.type !== "tool_result";
          if (!answered) continue;
          const { request } = await growing.build(input(part));
          expect(request).toEqual((await build(part)).request);
          const last = before.length - 1;
          expect(request.messages.slice(0, Math.max(0, last))).toEqual(before.slice(0, -1));
          if (last >= 0) {
            const old = before[last]!;
            expect({
              ...request.messages[last],
              content: request.messages[last]?.content.slice(0, old.content.length),
            }).toEqual(old);
          }
          before = request.messages;
        }
      }),
      { numRuns: 80 },
    );
  });

  it("fork and change of model start anew", async () => {
    const builder = createRequestBuilder();
    const trunk = [message("user", [text("a")]), message("assistant", [thinking("x/y"), text("b")])];
    const left = [...trunk, message("user", [text("c")])];
    const right = [...trunk, message("user", [text("d")])];
    for (const [history, id] of [
      [left, "anthropic/test"],
      [right, "anthropic/test"],
      [right, "x/y"],
      [left, "anthropic/test"],
      [left.slice(0, 1), "anthropic/test"],
    ] as const) {
      const ref = { ...model, id };
      const grown = await builder.build(input([...history], { model: ref }));
      expect(grown).toEqual(await build([...history], { model: ref }));
      expect(grown.problems).toEqual([]);
    }
  });
});

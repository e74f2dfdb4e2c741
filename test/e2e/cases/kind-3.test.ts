import { afterEach, describe, expect, it } from "vitest";
import type { RecordedRequest, Turn } from "../../../src/demo/scripted-model/types.ts";
import { type Case, openCase } from "../../support/case.ts";
import { callIds, messagesOf, newResults } from "../../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const call = (name: string, input: object, more = {}) => ({ name, input, ...more });
const body = (request: RecordedRequest | undefined): string => request?.raw.toString() ?? "";

describe("kind 3: model streams", () => {
  it("H14 shows a refusal once and does not poison the session", async () => {
    at = await openCase([{ content: [], stop: "refusal" }, { text: "ok" }]);
    const refused = await at.ask("bad");
    expect(at.model.requests.length).toBeLessThanOrEqual(2);
    expect(refused.code).toBe(63);
    expect(JSON.stringify(refused.json)).toMatch(/refus/);
    const other = await at.ask("other", ["--continue"]);
    expect(other).toMatchObject({ code: 0, json: { result: "ok" } });
    for (const message of messagesOf(at.model.requests[1])) {
      if (message.role === "assistant") expect(message.content).not.toEqual([]);
    }
    await at.check();
  });

  it("H15 waits as it is told, longer each time, and sends the same bytes", async () => {
    at = await openCase([
      { error: { status: 429, headers: { "retry-after": "3" } } },
      { error: { status: 529 } },
      { error: { status: 529 } },
      { text: "ok" },
    ]);
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    const { requests } = at.model;
    const gaps = requests.slice(1).map((request, index) => request.at - (requests[index]?.at ?? 0));
    expect(gaps).toHaveLength(3);
    expect(gaps[0]).toBeGreaterThanOrEqual(3000);
    expect(gaps[0]).toBeLessThan(8000);
    expect(gaps[1]).toBeGreaterThan(gaps[0] ?? 0);
    expect(gaps[2]).toBeGreaterThan(gaps[1] ?? 0);
    for (const request of requests) expect(body(request)).toBe(body(requests[0]));
    await at.check();
  });

  it("H15 tries again after an error event, without doubled text", async () => {
    const start = { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } };
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const frame = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}`;
    at = await openCase([{ raw: [frame(start), frame(error)] }, { text: "ok" }]);
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(at.model.requests).toHaveLength(2);
    await at.check();
  });

  it("H15 does not try again with a key that is refused", async () => {
    at = await openCase({
      turns: [{ error: { status: 401, type: "authentication_error", message: "invalid x-api-key" } }],
      repeatLast: true,
    });
    const run = await at.ask("x", [], { timeoutMs: 5000 });
    expect(run).toMatchObject({ code: 41, json: { is_error: true } });
    expect(run.json.errors.join()).toMatch(/authentic|key/i);
    expect(at.model.requests.length).toBeLessThanOrEqual(2);
    await at.check();
  });

  it.each(["stream-json", "json"])(
    "H16 gives the whole answer after a reset in mid-text (%s)",
    async (format) => {
      at = await openCase([{ text: "Hello", cut: { type: "reset", after: 3 } }, { text: "Hello" }]);
      const run = at.keep(await at.run(["-p", "just-once", "--output-format", format]));
      expect(run).toMatchObject({ code: 0, json: { result: "Hello" } });
      const [first, second] = at.model.requests;
      expect(messagesOf(second)).toEqual(messagesOf(first));
      expect(body(second).split("just-once")).toHaveLength(2);
      await at.check();
    },
  );

  it("H16 gives up when every stream is torn", async () => {
    at = await openCase({ turns: [{ text: "Hello", cut: { type: "reset", after: 3 } }], repeatLast: true });
    const run = await at.ask("x");
    expect(run.code).not.toBe(0);
    expect(run.json.subtype).toMatch(/^error/);
    expect(at.model.requests.length).toBeLessThanOrEqual(12);
    await at.check();
  });

  it("H17 tells two calls with one id apart", async () => {
    at = await openCase([
      {
        calls: [
          call("write_file", { path: "a.txt", content: "A" }, { id: "t1" }),
          call("write_file", { path: "b.txt", content: "B" }, { id: "t1" }),
        ],
      },
      { text: "ok" },
    ]);
    expect(await at.ask("x")).toMatchObject({ code: 0 });
    expect([at.get("a.txt").toString(), at.get("b.txt").toString()]).toEqual(["A", "B"]);
    pairedOnce(at.model.requests[1], ["a.txt", "b.txt"]);
    await at.check(["a.txt", "b.txt"]);
  });

  it("H17 takes calls without id and index, with object arguments and no usage", async () => {
    const bare = { id: null, index: null, whole: true, argumentsAsObject: true };
    at = await openCase(
      [
        {
          calls: [
            call("write_file", { path: "c.txt", content: "C" }, bare),
            call("write_file", { path: "d.txt", content: "D" }, bare),
          ],
          usage: null,
        },
        { text: "ok", usage: null },
      ],
      { wire: "openai-chat" },
    );
    expect(await at.ask("x")).toMatchObject({ code: 0 });
    expect([at.get("c.txt").toString(), at.get("d.txt").toString()]).toEqual(["C", "D"]);
    pairedOnce(at.model.requests[1], ["c.txt", "d.txt"]);
    await at.check(["c.txt", "d.txt"]);
  });

  it("H18 keeps calls apart that all claim index 0", async () => {
    const chunk = (calls: object[], finish: string | null = null) => ({
      id: "x",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: finish }],
    });
    const first = { name: "write", arguments: '{"path":"p1","content":' };
    const raw = [
      chunk([{ index: 0, id: "c1", type: "function", function: first }]),
      chunk([{ index: 0, function: { arguments: '"1"}' } }]),
      chunk([
        {
          index: 0,
          id: "c2",
          type: "function",
          function: { name: "bash", arguments: '{"command":"echo two > p2"}' },
        },
      ]),
      { id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      "data: [DONE]",
    ];
    at = await openCase([{ raw }, { text: "ok" }], { wire: "openai-chat" });
    expect(await at.ask("x")).toMatchObject({ code: 0 });
    expect([at.get("p1").toString(), at.get("p2").toString()]).toEqual(["1", "two\n"]);
    expect(callIds(at.model.requests[1])).toHaveLength(2);
    expect(newResults(at.model.requests[1])).toHaveLength(2);
    await at.check(["p1", "p2"]);
  });

  it("H19 gives reasoning back to those who sent it", async () => {
    const wanted = "think-α";
    at = await openCase(
      (request, index): Turn => {
        if (index === 0)
          return { thinking: wanted, chunkSize: 3, calls: [call("bash", { command: "true" })] };
        const replies = messagesOf(request).filter((message) => message.role === "assistant");
        return replies[0]?.reasoning_content === wanted
          ? { text: "ok" }
          : { error: { status: 400, message: "reasoning_content must be passed back" } };
      },
      { wire: "openai-chat" },
    );
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(await at.ask("y", ["--continue"])).toMatchObject({ code: 0, json: { result: "ok" } });
    await at.check();
  });

  it("H19 sends no reasoning to those who sent none", async () => {
    at = await openCase(
      (request, index): Turn => {
        if (body(request).includes("reasoning_content"))
          return { error: { status: 400, message: "unknown field reasoning_content" } };
        return index === 0 ? { calls: [call("bash", { command: "true" })] } : { text: "ok" };
      },
      { wire: "openai-chat" },
    );
    expect(await at.ask("x")).toMatchObject({ code: 0, json: { result: "ok" } });
    expect(await at.ask("y", ["--continue"])).toMatchObject({ code: 0, json: { result: "ok" } });
    await at.check();
  });

  it("H20 continues a paused turn with nothing added", async () => {
    at = await openCase([
      { text: "part1 ", stop: "pause_turn" },
      { text: "part2", stop: "end_turn" },
    ]);
    const run = await at.ask("x");
    expect(run.code).toBe(0);
    expect(run.json.result).toMatch(/part2$/);
    const last = messagesOf(at.model.requests[1]).at(-1);
    expect(last?.role).toBe("assistant");
    expect(JSON.stringify(last?.content)).toContain("part1");
    await at.check();
  });

  it("H20 does not take a full window for the end", async () => {
    at = await openCase([{ text: "cut", stop: "model_context_window_exceeded" }, { text: "after" }]);
    const run = await at.ask("x");
    if (run.code === 0) expect(run.json.result).toMatch(/after$/);
    else expect(run.json.subtype).toMatch(/^error/);
    await at.check();
  });
});

/** All ids differ, each has one result, and the results stand in the order of the calls. */
function pairedOnce(request: RecordedRequest | undefined, names: string[]): void {
  const ids = callIds(request);
  expect(new Set(ids).size).toBe(names.length);
  const results = newResults(request);
  expect(results.map((result) => result.id)).toEqual(ids);
  for (const [index, name] of names.entries()) expect(results[index]?.text).toContain(name);
}

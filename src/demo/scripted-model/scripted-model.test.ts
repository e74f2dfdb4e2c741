import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { loadScript } from "./load-script.ts";
import { startScriptedModel } from "./server.ts";
import type { ScriptedModel, ScriptedModelOptions, Turn } from "./types.ts";

const open: ScriptedModel[] = [];
const start = async (options: ScriptedModelOptions): Promise<ScriptedModel> => {
  const server = await startScriptedModel(options);
  open.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

type Got = { status: number; text: string; broken: boolean };

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((done) => {
    let text = "";
    const sent = httpRequest(url, { method: "POST", headers }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      const end = (broken: boolean) => (): void => done({ status: response.statusCode ?? 0, text, broken });
      response.on("end", end(false));
      response.on("error", end(true));
    });
    sent.on("error", () => done({ status: 0, text, broken: true }));
    sent.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

const PATHS = ["/v1/messages", "/v1/chat/completions", "/v1/responses"] as const;
const user = { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "hi" }] };

function dataLines(text: string): Record<string, never>[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
}

describe("scripted model", () => {
  it("plays text and calls on all wires, in order", async () => {
    const turn: Turn = {
      thinking: "hm",
      text: "Hello there",
      calls: [{ name: "read", input: { path: "ä" } }],
    };
    const server = await start({ script: { turns: [turn], repeatLast: true } });
    const [anthropic, chat, responses] = await Promise.all(
      PATHS.map((path) => post(server.url + path, user)),
    );
    const texts = (got: Got | undefined, pick: (event: never) => string | undefined): string =>
      dataLines(got?.text ?? "")
        .map((event) => pick(event as never) ?? "")
        .join("");
    // biome-ignore lint/suspicious/noExplicitAny: events of three wires, looked at loosely
    type Loose = any;
    expect(texts(anthropic, (e: Loose) => e.delta?.text)).toBe("Hello there");
    expect(texts(anthropic, (e: Loose) => e.delta?.partial_json)).toBe('{"path":"ä"}');
    expect(texts(chat, (e: Loose) => e.choices?.["0"]?.delta?.content)).toBe("Hello there");
    expect(texts(chat, (e: Loose) => e.choices?.["0"]?.delta?.reasoning_content)).toBe("hm");
    expect(chat?.text).toContain('"finish_reason":"tool_calls"');
    expect(chat?.text).toMatch(/data: \[DONE\]\n\n$/);
    expect(
      texts(responses, (e: Loose) => (String(e.type).includes("output_text.delta") ? e.delta : "")),
    ).toBe("Hello there");
    expect(responses?.text).toContain("event: response.completed");
    expect(server.requests.map((request) => request.wire).sort()).toEqual([
      "anthropic",
      "openai-chat",
      "openai-responses",
    ]);
  });

  it("cuts exactly where told: reset and clean end", async () => {
    const server = await start({
      script: [
        { text: "Hello", cut: { type: "reset", after: 3 } },
        { text: "Hello", chunkSize: 1, cut: { type: "clean" } },
      ],
    });
    const reset = await post(`${server.url}/v1/messages`, user);
    expect(reset.broken).toBe(true);
    expect(reset.text).toContain('"Hel"');
    expect(reset.text).not.toContain('"l');
    const clean = await post(`${server.url}/v1/messages`, user);
    expect(clean.broken).toBe(false);
    expect(clean.text).toContain('"o"');
    expect(clean.text).not.toContain("message_stop");
  });

  it("sends errors, error events, documents and raw frames", async () => {
    const server = await start({
      script: [
        {
          error: { status: 429, headers: { "retry-after": "3" }, type: "rate_limit_error", message: "slow" },
        },
        { text: "ab", streamError: { type: "overloaded_error", message: "busy", after: 2 } },
        { text: "whole", json: true },
        { raw: ["data: odd", { a: 1 }] },
      ],
    });
    const url = `${server.url}/v1/messages`;
    expect(await post(url, user)).toMatchObject({ status: 429, text: expect.stringContaining('"slow"') });
    expect((await post(url, user)).text).toMatch(/"ab"[\s\S]*overloaded_error/);
    expect(JSON.parse((await post(url, user)).text).content).toEqual([{ type: "text", text: "whole" }]);
    expect((await post(url, user)).text).toBe('data: odd\n\ndata: {"a":1}\n\n');
    expect((await post(url, user)).status).toBe(400);
    expect(server.problems).toEqual(["request 5: the script has no turn for it"]);
  });

  it("holds until released, and a release may come first", async () => {
    const server = await start({
      script: [
        { text: "one", hold: "end" },
        { text: "two", hold: "request" },
      ],
    });
    const first = post(`${server.url}/v1/messages`, user);
    await server.waitForRequest(1, 2000);
    server.release();
    expect((await first).text).toContain("message_stop");
    server.release();
    expect((await post(`${server.url}/v1/messages`, user)).text).toContain('"two"');
    await expect(server.waitForRequest(3, 20)).rejects.toThrow("request 3 did not come within 20 ms; 2 came");
  });

  it("plays a turn with `when` out of order", async () => {
    const server = await start({
      script: [{ text: "first" }, { text: "aside", when: { bodyContains: "SUMMARY" } }, { text: "second" }],
    });
    const url = `${server.url}/v1/messages`;
    const ask = async (content: string): Promise<string> =>
      JSON.parse((await post(url, { model: "m", messages: [{ role: "user", content }] })).text).content[0]
        .text;
    expect([await ask("SUMMARY"), await ask("SUMMARY"), await ask("x")]).toEqual([
      "aside",
      "first",
      "second",
    ]);
  });

  it("lists models", async () => {
    const server = await start({ script: [], models: ["a", "b"] });
    const list = await (await fetch(`${server.url}/v1/models`)).json();
    expect(list).toMatchObject({ data: [{ id: "a" }, { id: "b" }] });
    expect(server.others).toEqual(["GET /v1/models"]);
  });

  it("splits writes anywhere and paces deltas", async () => {
    const server = await start({
      script: [
        { text: "äöü🙂".repeat(3), writeSize: 7 },
        { text: "abcdefgh", chunkSize: 1, delayMs: 15 },
      ],
    });
    const split = await post(`${server.url}/v1/messages`, user);
    expect(
      dataLines(split.text)
        .map((event: { delta?: { text?: string } }) => event.delta?.text ?? "")
        .join(""),
    ).toBe("äöü🙂".repeat(3));
    const before = performance.now();
    await post(`${server.url}/v1/messages`, user);
    expect(performance.now() - before).toBeGreaterThan(95);
  });

  it("loads script files and names the faulty place", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lathe-script-"));
    const file = join(folder, "script.json");
    await writeFile(file, JSON.stringify([{ text: "a" }, { text: "b", calls: [{ name: "x", input: {} }] }]));
    expect((await loadScript(file)).turns).toHaveLength(2);
    await writeFile(file, JSON.stringify([{ text: "a" }, { txt: "b" }]));
    await expect(loadScript(file)).rejects.toThrow(/script\.json is not a model script.*turns\.1.*txt/s);
    await rm(folder, { recursive: true });
  });
});

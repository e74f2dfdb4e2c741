import { afterEach, describe, expect, it } from "vitest";
import { startScriptedModel } from "../demo/scripted-model/server.ts";
import type { ModelRef } from "../protocol/model-port.ts";
import { describeLocalServers, findLocalServers } from "./local.ts";
import type { ModelQuestion } from "./question.ts";
import { resolveModel } from "./resolve.ts";

const resolve = (question: Partial<ModelQuestion>): ModelRef => {
  const found = resolveModel({ environment: {}, credentials: {}, ...question });
  if (!found.ok) throw new Error(found.error);
  return found.value;
};
const problem = (question: Partial<ModelQuestion>): string => {
  const found = resolveModel({ environment: {}, credentials: {}, ...question });
  return found.ok ? `found ${found.value.id}` : found.error;
};
const anthropic = { ANTHROPIC_API_KEY: "k" };
const openai = { OPENAI_API_KEY: "k" };

describe("which model", () => {
  it("flag, then config, then environment, then what the keys suggest", () => {
    const environment = { MODEL_ID: "claude-haiku-4-5", MAGIC_MODEL: "gpt-4.1" };
    expect(resolve({ requested: "gpt-5", configured: "gpt-4o", environment, credentials: openai }).id).toBe(
      "openai/gpt-5",
    );
    expect(resolve({ configured: "gpt-4o", environment, credentials: openai }).id).toBe("openai/gpt-4o");
    expect(resolve({ environment, credentials: anthropic }).id).toBe("anthropic/claude-haiku-4-5");
    expect(resolve({ environment: { MAGIC_MODEL: "gpt-4.1" }, credentials: openai }).id).toBe(
      "openai/gpt-4.1",
    );
    expect(resolve({ credentials: { ...openai, ...anthropic } }).id).toBe("anthropic/claude-sonnet-4-6");
    expect(resolve({ credentials: openai }).id).toBe("openai/gpt-4o");
    expect(resolve({ credentials: { DEEPSEEK_API_KEY: "k" } }).id).toBe("deepseek/deepseek-flash");
  });

  it("provider variables count only where their provider is at hand; short names are known", () => {
    const environment = { ANTHROPIC_MODEL: "claude-x", ANTHROPIC_DEFAULT_OPUS_MODEL: "claude-opus-9" };
    expect(resolve({ environment, credentials: openai }).id).toBe("openai/gpt-4o");
    expect(resolve({ environment, credentials: anthropic }).id).toBe("anthropic/claude-x");
    expect(resolve({ requested: "opus", environment, credentials: anthropic }).id).toBe(
      "anthropic/claude-opus-9",
    );
    expect(resolve({ requested: "haiku", credentials: anthropic }).id).toBe("anthropic/claude-haiku-5-5");
  });

  it("places bare names by family, else where a key or base URL is", () => {
    expect(resolve({ requested: "claude-opus-4-5" })).toMatchObject({
      provider: "anthropic",
      keyNames: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    });
    expect(resolve({ requested: "o3" }).id).toBe("openai/o3");
    const local = { ANTHROPIC_BASE_URL: "http://127.0.0.1:99/" };
    expect(resolve({ requested: "zz-unknown-1", environment: local })).toMatchObject({
      id: "anthropic/zz-unknown-1",
      baseUrl: "http://127.0.0.1:99",
      keyNames: [],
      price: null,
      contextWindow: null,
      maxOutput: 4096,
    });
    expect(resolve({ requested: "gpt-4o", environment: local }).id).toBe("anthropic/gpt-4o");
    expect(
      resolve({ requested: "meta-llama/llama-4", credentials: { OPENROUTER_API_KEY: "k" } }),
    ).toMatchObject({ id: "openrouter/meta-llama/llama-4", model: "meta-llama/llama-4" });
    expect(problem({ requested: "zz-unknown-1" })).toMatch(
      /Cannot tell where the model "zz-unknown-1" is: write provider\/zz-unknown-1/,
    );
  });

  it("chooses OpenAI's wire by its host, unless told", () => {
    const environment = { OPENAI_BASE_URL: "http://localhost:1/v1" };
    expect(resolve({ requested: "openai/x" })).toMatchObject({
      wire: "openai-responses",
      keyNames: ["OPENAI_API_KEY"],
    });
    expect(resolve({ requested: "openai/x", environment })).toMatchObject({
      wire: "openai-chat",
      keyNames: [],
      baseUrl: "http://localhost:1/v1",
    });
    expect(resolve({ requested: "openai-responses/x", environment })).toMatchObject({
      id: "openai-responses/x",
      provider: "openai",
      wire: "openai-responses",
      model: "x",
    });
    expect(resolve({ requested: "openai-chat/x", credentials: openai })).toMatchObject({
      wire: "openai-chat",
      baseUrl: "https://api.openai.com/v1",
    });
    const overrides = { providers: { openai: { wire: "openai-responses" as const } } };
    expect(resolve({ requested: "openai/x", environment, overrides }).wire).toBe("openai-responses");
    expect(resolve({ environment }).id).toBe("openai/gpt-4o");
    expect(resolve({ environment, credentials: openai }).keyNames).toEqual(["OPENAI_API_KEY"]);
  });

  it("takes providers, prices and headers from config and environment", () => {
    const overrides = {
      providers: {
        corp: {
          baseUrl: "https://llm.corp/api/",
          wire: "anthropic" as const,
          keyName: "CORP_KEY",
          headers: { "X-Team": "a" },
        },
        free: { baseUrl: "https://x.y", keyName: "" },
      },
      models: {
        "corp/m": { contextWindow: 1_000_000, price: { input: 3, output: 15 } },
        m: { maxOutput: 77 },
      },
    };
    expect(resolve({ requested: "corp/m", overrides })).toEqual({
      id: "corp/m",
      provider: "corp",
      model: "m",
      wire: "anthropic",
      baseUrl: "https://llm.corp/api",
      keyNames: ["CORP_KEY"],
      contextWindow: 1_000_000,
      maxOutput: 77,
      images: true,
      price: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 },
      headers: { "X-Team": "a" },
    });
    expect(resolve({ requested: "free/x", overrides }).keyNames).toEqual([]);
    const environment = { ANTHROPIC_CUSTOM_HEADERS: "X-A: b:c\nX-D: e" };
    expect(resolve({ requested: "claude-sonnet-4-6", environment }).headers).toEqual({
      "X-A": "b:c",
      "X-D": "e",
    });
    expect(
      problem({ requested: "bad/m", overrides: { providers: { bad: { baseUrl: "ftp://x" } } } }),
    ).toMatch(/base URL of bad is no http\(s\) URL.*models\.providers\.bad\.baseUrl/);
  });

  it("knows shipped models under their spellings, and dates and routers' names do not hide them", () => {
    const facts = (requested: string): unknown[] => {
      const { contextWindow, maxOutput, price } = resolve({ requested, overrides: {} });
      return [contextWindow, maxOutput, price];
    };
    const sonnet = [200_000, 64_000, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }];
    expect(facts("claude-sonnet-4-6")).toEqual(sonnet);
    expect(facts("claude-sonnet-4-5-20250929")).toEqual(sonnet);
    expect(facts("openrouter/anthropic/claude-sonnet-4.6")).toEqual(sonnet);
    expect(facts("gpt-4o-2024-11-20")).toEqual([
      128_000,
      16_384,
      { input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 2.5 },
    ]);
    expect(facts("gpt-9-next")).toEqual([null, 4096, null]);
  });

  it("finds Ollama by OLLAMA_HOST in all its spellings", () => {
    const at = (host: string): string =>
      resolve({ requested: "ollama/qwen3", environment: { OLLAMA_HOST: host } }).baseUrl;
    expect(["box", "0.0.0.0:1", "http://box:2/", "http://box:2/v1"].map(at)).toEqual([
      "http://box:11434/v1",
      "http://127.0.0.1:1/v1",
      "http://box:2/v1",
      "http://box:2/v1",
    ]);
    expect(resolve({ requested: "ollama/qwen3" })).toMatchObject({
      keyNames: [],
      price: null,
      baseUrl: "http://127.0.0.1:11434/v1",
    });
    expect(problem({ environment: { OLLAMA_HOST: "box" } })).toMatch(/ollama\/NAME/);
  });

  it("places Gemini's compatible wire below its own base URL", () => {
    const at = (url: string): string =>
      resolve({ requested: "gemini/x", environment: { GOOGLE_GEMINI_BASE_URL: url } }).baseUrl;
    expect(at("https://proxy/g/")).toBe("https://proxy/g/v1beta/openai");
    expect(at("https://proxy/v1/openai")).toBe("https://proxy/v1/openai");
    expect(resolve({ requested: "haiku", environment: { ANTHROPIC_SMALL_FAST_MODEL: "claude-x" } }).id).toBe(
      "anthropic/claude-x",
    );
  });

  it("gives the same model when its id is resolved again", () => {
    const questions: Partial<ModelQuestion>[] = [
      { credentials: anthropic },
      { requested: "openai-responses/x", credentials: openai },
      { requested: "meta/llama", credentials: { OPENROUTER_API_KEY: "k" } },
      { requested: "zz", environment: { OPENAI_BASE_URL: "http://127.0.0.1:9" } },
    ];
    for (const question of questions) {
      const first = resolve(question);
      expect(resolve({ ...question, requested: first.id, configured: "gpt-4o" })).toEqual(first);
    }
  });

  it("says what to set when nothing is there", () => {
    expect(problem({})).toMatch(/ANTHROPIC_API_KEY or OPENAI_API_KEY.*OPENAI_BASE_URL.*--model/);
    expect(problem({ requested: "anthropic/" })).toMatch(/names no model/);
  });
});

describe("local servers", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

  it("finds those that list models, in parallel and in time", async () => {
    const server = await startScriptedModel({ script: [], models: ["qwen3:8b", "b"] });
    const gone = await startScriptedModel({ script: [] });
    open.push(server);
    await gone.close();
    const found = await findLocalServers(new AbortController().signal, {
      ollama: server.port,
      vllm: gone.port,
    });
    expect(found).toEqual([{ provider: "ollama", baseUrl: `${server.url}/v1`, models: ["qwen3:8b", "b"] }]);
    expect(describeLocalServers(found)).toContain("lathe --model ollama/qwen3:8b");
    expect(describeLocalServers([{ ...found[0]!, models: [] }])).toMatch(/has no model: ollama pull/);
    expect(describeLocalServers([])).toMatch(
      /export ANTHROPIC_API_KEY[\s\S]*export OPENAI_BASE_URL=.*127\.0\.0\.1:11434\/v1/,
    );
  });
});

it("a mistyped provider is not sent to another one; routers and own servers take any name", () => {
  const ask = (
    requested: string,
    environment = {},
    credentials: Record<string, string> = { ANTHROPIC_API_KEY: "k" },
  ) => resolveModel({ requested, environment, credentials });
  expect(ask("antropic/claude-x")).toMatchObject({
    ok: false,
    error: expect.stringContaining('no provider "antropic"'),
  });
  expect(ask("meta/llama", {}, { OPENROUTER_API_KEY: "k" })).toMatchObject({ ok: true });
  expect(ask("Qwen/Qwen3", { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" }, {})).toMatchObject({ ok: true });
});

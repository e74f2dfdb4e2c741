import type { ModelRef } from "../protocol/model-port.ts";
import { type ModelOverride, type ModelOverrides, wholePrice } from "./overrides.ts";

/** What is known of a model beside where it is. */
export type ModelFacts = Pick<ModelRef, "contextWindow" | "maxOutput" | "images" | "price">;

/** Unknown models work: a careful output limit, no price, pictures allowed (a refusal is shown as it is). */
const UNKNOWN: ModelFacts = { contextWindow: null, maxOutput: 4096, images: true, price: null };

// Context window and output limit in thousands of tokens; dollars per million: input, output, cache read, cache
// write (a missing one counts as input); whether it takes pictures. The first pattern that fits the name wins.
// Where a service asks more at some hours or for long prompts, the price is that of the dearer hours and of the
// shorter prompts. Checked against the vendors' pages in November 2026.
type Row = [pattern: RegExp, window: number, output: number, price: number[] | null, images: boolean];

const ROWS: Row[] = [
  [/^claude-(fable|mythos)-5/, 1000, 128, [10, 50, 1, 12.5], true],
  [/^claude-opus-5-5/, 1000, 128, [4, 20, 0.2, 5], true],
  [/^claude-opus-(5|4-[78])/, 1000, 128, [5, 25, 0.5, 6.25], true],
  [/^claude-sonnet-5/, 1000, 128, [2, 10, 0.2, 2.5], true],
  [/^claude-haiku-5/, 1000, 128, [0.1, 0.5, 0.01, 0.125], true],
  // 4.6 can take a million, but not on every platform and gateway: the window that is there everywhere.
  [/^claude-opus-4-[56]/, 200, 64, [5, 25, 0.5, 6.25], true],
  [/^claude-opus-4/, 200, 32, [15, 75, 1.5, 18.75], true],
  [/^claude-sonnet-4/, 200, 64, [3, 15, 0.3, 3.75], true],
  [/^claude-haiku-4/, 200, 64, [1, 5, 0.1, 1.25], true],
  [/^claude-3-7-sonnet/, 200, 64, [3, 15, 0.3, 3.75], true],
  [/^claude-3-5-sonnet/, 200, 8.192, [3, 15, 0.3, 3.75], true],
  [/^claude-3-5-haiku/, 200, 8.192, [0.8, 4, 0.08, 1], true],
  [/^claude-3-haiku/, 200, 4.096, [0.25, 1.25, 0.03, 0.3], true],
  [/^claude-/, 200, 32, null, true],
  [/^gpt-6\.1-sol/, 1050, 128, [2, 10, 0.1], true],
  [/^gpt-6-sol/, 1050, 128, [2, 10, 0.2], true],
  [/^gpt-6\.1-terra/, 1050, 128, [1, 5], true],
  [/^gpt-6-luna/, 1050, 128, [0.1, 0.5], true],
  [/^gpt-6/, 1050, 128, null, true],
  [/^gpt-5\.6(-sol|$)/, 1050, 128, [4, 20, 0.4], true],
  [/^gpt-5\.6-terra/, 1050, 128, [2, 12, 0.2], true],
  [/^gpt-5\.6/, 1050, 128, null, true],
  [/^gpt-5\.5(-\d{4}|$)/, 1050, 128, [5, 30, 0.5], true],
  [/^gpt-5\.4(-\d{4}|$)/, 1050, 128, [2.5, 15, 0.25], true],
  [/^gpt-5\.4-mini/, 400, 128, [0.75, 4.5, 0.075], true],
  [/^gpt-5-nano/, 400, 128, [0.05, 0.4, 0.005], true],
  [/^gpt-5-mini/, 400, 128, [0.25, 2, 0.025], true],
  [/^gpt-5\.2(-codex|-\d{4}|$)/, 400, 128, [1.75, 14, 0.175], true],
  [/^gpt-5(\.1)?(-codex|-\d{4}|$)/, 400, 128, [1.25, 10, 0.125], true],
  [/^gpt-5(\.\d)?-chat/, 128, 16.384, [1.25, 10, 0.125], true],
  [/^gpt-5/, 400, 128, null, true],
  [/^gpt-4\.1-nano/, 1047.576, 32.768, [0.1, 0.4, 0.025], true],
  [/^gpt-4\.1-mini/, 1047.576, 32.768, [0.4, 1.6, 0.1], true],
  [/^gpt-4\.1/, 1047.576, 32.768, [2, 8, 0.5], true],
  [/^gpt-4o-mini/, 128, 16.384, [0.15, 0.6, 0.075], true],
  [/^(chatgpt-4o|gpt-4o)/, 128, 16.384, [2.5, 10, 1.25], true],
  [/^o4-mini/, 200, 100, [1.1, 4.4, 0.275], true],
  [/^o3-mini/, 200, 100, [1.1, 4.4, 0.55], false],
  [/^o3(-\d{4}|$)/, 200, 100, [2, 8, 0.5], true],
  [/^o1(-\d{4}|$)/, 200, 100, [15, 60, 7.5], true],
  [/^gpt-oss/, 131.072, 32.768, null, false],
  [/^gemini-3\.8-flash$/, 1048.576, 65.536, [0.75, 3.75], true],
  [/^gemini-3\.5-flash$/, 1048.576, 65.536, [1.5, 9, 0.15], true],
  [/^gemini-3(\.1)?-pro/, 1048.576, 65.536, [2, 12, 0.2], true],
  [/^gemini-2\.5-pro/, 1048.576, 65.536, [1.25, 10, 0.125], true],
  [/^gemini-2\.5-flash-lite/, 1048.576, 65.536, [0.1, 0.4, 0.01], true],
  [/^gemini-2\.5-flash/, 1048.576, 65.536, [0.3, 2.5, 0.03], true],
  [/^gemini-/, 1048.576, 65.536, null, true],
  [/^deepseek-(v4-)?flash/, 1000, 384, [0.3, 1.2, 0.006], true],
  [/^deepseek-v4-pro/, 1000, 384, [1.32, 3.96, 0.044], false],
  [/^deepseek/, 128, 8.192, null, false],
  [/^grok-4\.[5-7]/, 500, 64, [2, 6, 0.5], true],
  [/^grok-4\.3/, 1000, 64, [1.25, 2.5], true],
  [/^grok-/, 256, 32, null, true],
  [/^mistral-(large|medium)/, 128, 32, null, true],
  [/^(mistral|codestral|devstral|magistral|ministral)/, 128, 32, null, false],
  [/^qwen3\.7-max/, 256, 32.768, [2.5, 7.5], false],
  [/^qwen3\.6-plus/, 256, 32.768, [0.5, 3], true],
  [/^qwen.*-vl/, 131.072, 32.768, null, true],
  [/^qwen3-coder-(plus|flash)/, 1000, 65.536, null, false],
  [/^(qwen|qwq)/, 131.072, 8.192, null, false],
  [/^(llama|codellama|phi|starcoder)/, 131.072, 4.096, null, false],
];

/** What is known of `provider/model`: config first, then the shipped table, then careful guesses. */
export function factsOf(provider: string, model: string, overrides: ModelOverrides): ModelFacts {
  const bare = model.toLowerCase().split("/").at(-1) ?? model;
  const row = ROWS.find(([pattern]) => pattern.test(bare.replace(/(claude-[a-z]+-\d)\.(\d)/, "$1-$2")));
  const shipped = row ? factsIn(row) : UNKNOWN;
  // What runs on this machine costs nothing per token, but neither is a price known for it: it stays unknown.
  const known = LOCAL.has(provider) ? { ...shipped, price: null } : shipped;
  const override = { ...overrides.models?.[model], ...overrides.models?.[`${provider}/${model}`] };
  return overridden(known, override);
}

const LOCAL = new Set(["ollama", "lmstudio", "llamacpp", "vllm"]);

function factsIn([, window, output, price, images]: Row): ModelFacts {
  const [input, out, cacheRead, cacheWrite] = price ?? [];
  return {
    contextWindow: Math.round(window * 1000),
    maxOutput: Math.round(output * 1000),
    images,
    price:
      input === undefined || out === undefined
        ? null
        : wholePrice({ input, output: out, cacheRead, cacheWrite }),
  };
}

function overridden(facts: ModelFacts, override: ModelOverride): ModelFacts {
  return {
    contextWindow: override.contextWindow ?? facts.contextWindow,
    maxOutput: override.maxOutput ?? facts.maxOutput,
    images: override.images ?? facts.images,
    price: override.price === undefined ? facts.price : override.price && wholePrice(override.price),
  };
}

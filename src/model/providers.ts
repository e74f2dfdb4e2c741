import type { WireName } from "../protocol/model-port.ts";

/** Where the models of one provider are, and which credentials and variables speak for it. */
export type Provider = {
  wire: WireName;
  baseUrl: string;
  /** Variables that replace the base URL, best first. */
  baseUrlVariables?: string[];
  keyNames: string[];
  /** The model when only the provider is known; null: it must be named. */
  defaultModel: string | null;
};

/** The shipped providers, in the order in which their keys decide when no model is named. */
export const PROVIDERS: Record<string, Provider> = {
  anthropic: {
    wire: "anthropic",
    baseUrl: "https://api.anthropic.com",
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    keyNames: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    defaultModel: "claude-sonnet-4-6",
  },
  openai: {
    wire: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariables: ["OPENAI_BASE_URL"],
    keyNames: ["OPENAI_API_KEY"],
    defaultModel: "gpt-4o",
  },
  gemini: {
    wire: "openai-chat",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    baseUrlVariables: ["GOOGLE_GEMINI_BASE_URL"],
    keyNames: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    defaultModel: "gemini-3.8-flash",
  },
  openrouter: {
    wire: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyNames: ["OPENROUTER_API_KEY"],
    defaultModel: "anthropic/claude-sonnet-4.6",
  },
  deepseek: {
    wire: "openai-chat",
    baseUrl: "https://api.deepseek.com/v1",
    keyNames: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-flash",
  },
  xai: {
    wire: "openai-chat",
    baseUrl: "https://api.x.ai/v1",
    keyNames: ["XAI_API_KEY"],
    defaultModel: "grok-4.5",
  },
  mistral: {
    wire: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keyNames: ["MISTRAL_API_KEY"],
    defaultModel: "mistral-large-latest",
  },
  groq: {
    wire: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keyNames: ["GROQ_API_KEY"],
    defaultModel: "openai/gpt-oss-120b",
  },
  qwen: {
    wire: "openai-chat",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyNames: ["DASHSCOPE_API_KEY"],
    defaultModel: "qwen3-coder-plus",
  },
  ollama: {
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyNames: [],
    defaultModel: null,
  },
  lmstudio: { wire: "openai-chat", baseUrl: "http://127.0.0.1:1234/v1", keyNames: [], defaultModel: null },
  llamacpp: { wire: "openai-chat", baseUrl: "http://127.0.0.1:8080/v1", keyNames: [], defaultModel: null },
  vllm: { wire: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1", keyNames: [], defaultModel: null },
};

/** `openai-chat/x` and `openai-responses/x`: OpenAI's place and key with the wire said outright. */
export const WIRE_PREFIXES: Record<string, WireName> = {
  "openai-chat": "openai-chat",
  "openai-responses": "openai-responses",
};

const FAMILIES: [RegExp, string][] = [
  [/^claude/i, "anthropic"],
  [/^(?:gpt-|chatgpt|o[1-9](?:-|$)|codex)/i, "openai"],
  [/^gemini/i, "gemini"],
  [/^deepseek/i, "deepseek"],
  [/^grok/i, "xai"],
  [/^(?:mistral|codestral|devstral|magistral|ministral)/i, "mistral"],
  [/^(?:qwen|qwq)/i, "qwen"],
];

/** The provider that a bare model name points to; null when the name tells nothing. */
export function familyOf(model: string): string | null {
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

import { PROVIDERS } from "./providers.ts";
import { isReachable, type ModelQuestion } from "./question.ts";

const MODEL_VARIABLES = ["ANTHROPIC_MODEL", "OPENAI_MODEL", "GEMINI_MODEL", "MODEL_ID", "MAGIC_MODEL"];

// What the short names stand for; the variables are the ecosystem's own.
const ALIASES: Record<string, { variables: string[]; model: string }> = {
  opus: { variables: ["ANTHROPIC_DEFAULT_OPUS_MODEL"], model: "anthropic/claude-opus-5-5" },
  sonnet: { variables: ["ANTHROPIC_DEFAULT_SONNET_MODEL"], model: "anthropic/claude-sonnet-5-5" },
  haiku: {
    variables: ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"],
    model: "anthropic/claude-haiku-5-5",
  },
};

/** The name of the model before it is looked up, or why there is none. */
export function chooseName(
  question: ModelQuestion,
): { ok: true; value: string } | { ok: false; error: string } {
  const { environment } = question;
  const named = filled(question.requested) ?? filled(question.configured) ?? nameInEnvironment(question);
  const value = named ?? defaultName(question);
  if (value === null) return { ok: false, error: noModel(question) };
  const alias = Object.hasOwn(ALIASES, value) ? ALIASES[value] : undefined;
  if (!alias) return { ok: true, value };
  const meant = alias.variables
    .map((variable) => filled(environment[variable]))
    .find((name) => name !== null);
  return { ok: true, value: meant ?? alias.model };
}

const filled = (text: string | undefined): string | null => text?.trim() || null;

/** ANTHROPIC_MODEL and its like count only where their provider is at hand; the neutral names always do. */
function nameInEnvironment(question: ModelQuestion): string | null {
  for (const variable of MODEL_VARIABLES) {
    const name = filled(question.environment[variable]);
    if (name === null) continue;
    const owner =
      variable === "MODEL_ID" || variable === "MAGIC_MODEL" ? null : variable.split("_")[0]?.toLowerCase();
    if (!owner) return name;
    if (isReachable(owner, question)) return name.includes("/") ? name : `${owner}/${name}`;
  }
  return null;
}

/** The default of the first provider whose key or base URL is there. */
function defaultName(question: ModelQuestion): string | null {
  for (const [name, provider] of Object.entries(PROVIDERS)) {
    if (provider.defaultModel !== null && isReachable(name, question))
      return `${name}/${provider.defaultModel}`;
  }
  return null;
}

function noModel(question: ModelQuestion): string {
  if (question.environment.OLLAMA_HOST) {
    return "OLLAMA_HOST is set, but no model is named: pass --model ollama/NAME (`ollama list` shows the names)";
  }
  return "No model: set ANTHROPIC_API_KEY or OPENAI_API_KEY (or the key of another provider), or OPENAI_BASE_URL for a compatible server, or name one with --model provider/model (ollama/NAME needs no key)";
}

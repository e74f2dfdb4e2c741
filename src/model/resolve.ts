import type { ModelRef, WireName } from "../protocol/model-port.ts";
import { factsOf } from "./catalog.ts";
import { chooseName } from "./choose.ts";
import { isLoopback } from "./http/no-proxy.ts";
import type { ModelOverrides } from "./overrides.ts";
import { familyOf, PROVIDERS, type Provider, WIRE_PREFIXES } from "./providers.ts";
import { isReachable, type ModelQuestion } from "./question.ts";

/** The model to use, or why there is none, in words that say how to mend it. */
export type ModelResolution = { ok: true; value: ModelRef } | { ok: false; error: string };

/**
 * Finds the model: flag, then config, then environment, then what the keys at hand suggest. Names are
 * `provider/model` or bare; a bare name's provider is guessed from its family, else the one whose key or base
 * URL is set. A resolved id, resolved again in the same environment, gives the same model.
 */
export function resolveModel(question: ModelQuestion): ModelResolution {
  const name = chooseName(question);
  if (!name.ok) return name;
  const overrides = question.overrides ?? {};
  const { prefix, model } = splitName(name.value, overrides);
  const provider = prefix ?? guessProvider(model, question, overrides);
  if (model === "") return { ok: false, error: `"${name.value}" names no model: write provider/model` };
  if (provider === null) return { ok: false, error: noProvider(model) };
  const mistyped = prefix === null ? unknownPrefix(model, provider, question) : null;
  if (mistyped !== null) return { ok: false, error: mistyped };
  return placed(provider, model, question, overrides);
}

/** Splits at the first slash if what stands before it is a provider; `meta/llama` of a router is a bare name. */
function splitName(name: string, overrides: ModelOverrides): { prefix: string | null; model: string } {
  const slash = name.indexOf("/");
  const head = slash < 0 ? "" : name.slice(0, slash);
  const known = Object.hasOwn(PROVIDERS, head) || Object.hasOwn(WIRE_PREFIXES, head);
  if (head !== "" && (known || Object.hasOwn(overrides.providers ?? {}, head))) {
    return { prefix: head, model: name.slice(slash + 1) };
  }
  return { prefix: null, model: name };
}

/** Vendors none of whose own models has a slash in its name. */
const PLAIN_NAMES = new Set(["anthropic", "openai", "gemini", "deepseek", "xai", "mistral"]);

/**
 * A bare name with a slash is right for routers and servers of one's own; at a vendor's own address it is a
 * provider that was mistyped, and must not be sent to another one.
 */
function unknownPrefix(model: string, provider: string, question: ModelQuestion): string | null {
  const shipped = PROVIDERS[provider];
  const ownAddress =
    shipped !== undefined && baseUrlFrom(provider, shipped, question.environment) === undefined;
  if (!model.includes("/") || !ownAddress || !PLAIN_NAMES.has(provider)) return null;
  const head = model.slice(0, model.indexOf("/"));
  return `there is no provider "${head}"; there are ${Object.keys(PROVIDERS).join(", ")}, and those of the config`;
}

function guessProvider(model: string, question: ModelQuestion, overrides: ModelOverrides): string | null {
  const family = familyOf(model);
  const reachable = Object.keys(PROVIDERS).filter((name) => isReachable(name, question));
  if (family && (reachable.includes(family) || reachable.length === 0)) return family;
  const configured = Object.keys(overrides.providers ?? {}).filter((name) => !Object.hasOwn(PROVIDERS, name));
  return reachable[0] ?? (configured.length === 1 ? configured[0] : undefined) ?? family;
}

function placed(
  name: string,
  model: string,
  question: ModelQuestion,
  overrides: ModelOverrides,
): ModelResolution {
  const said = WIRE_PREFIXES[name];
  const providerName = said ? "openai" : name;
  const shipped: Provider | undefined = PROVIDERS[providerName];
  const override = overrides.providers?.[name] ?? overrides.providers?.[providerName] ?? {};
  const fromEnvironment = baseUrlFrom(providerName, shipped, question.environment);
  const baseUrl = (override.baseUrl ?? fromEnvironment ?? shipped?.baseUrl ?? "").replace(/\/+$/, "");
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    const where = override.baseUrl ? `config models.providers.${name}.baseUrl` : "its base URL variable";
    return { ok: false, error: `The base URL of ${name} is no http(s) URL ("${baseUrl}"): mend ${where}` };
  }
  const keyNames =
    override.keyName === undefined ? (shipped?.keyNames ?? []) : [override.keyName].filter(Boolean);
  const headers = { ...customHeaders(providerName, question.environment), ...override.headers };
  return {
    ok: true,
    value: {
      id: `${name}/${model}`,
      provider: providerName,
      model,
      wire: said ?? override.wire ?? wireFor(providerName, shipped, baseUrl),
      baseUrl,
      keyNames: neededKeys(keyNames, baseUrl, question),
      ...factsOf(providerName, model, overrides),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    },
  };
}

/** OpenAI's own service is spoken to by Responses; whoever stands in for it, by Chat. */
function wireFor(name: string, shipped: Provider | undefined, baseUrl: string): WireName {
  if (name !== "openai") return shipped?.wire ?? "openai-chat";
  return new URL(baseUrl).hostname === "api.openai.com" ? "openai-responses" : "openai-chat";
}

/** Servers on this machine work without a key; one that is at hand is sent all the same. */
function neededKeys(names: string[], baseUrl: string, question: ModelQuestion): string[] {
  const atHand = names.some((name) => question.credentials[name] || question.promisedKeys?.includes(name));
  return isLoopback(new URL(baseUrl).hostname) && !atHand ? [] : names;
}

function baseUrlFrom(
  name: string,
  provider: Provider | undefined,
  environment: Record<string, string>,
): string | undefined {
  if (name === "ollama" && environment.OLLAMA_HOST) return ollamaUrl(environment.OLLAMA_HOST);
  const variable = provider?.baseUrlVariables?.find((candidate) => environment[candidate]);
  const url = variable === undefined ? undefined : environment[variable];
  // Gemini's variable names the place of its own API; what is compatible with OpenAI lies below.
  if (name === "gemini" && url && !/\/openai\/?$/.test(url))
    return `${url.replace(/\/+$/, "")}/v1beta/openai`;
  return url;
}

/** OLLAMA_HOST may be a host, host and port, or a URL, and `0.0.0.0` where the server listens everywhere. */
export function ollamaUrl(host: string): string {
  const text = host.includes("://") ? host : `http://${host}`;
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !host.includes("://")) url.port = "11434";
  return `${url.origin}${url.pathname.replace(/\/(?:v1\/?)?$/, "")}/v1`;
}

/** ANTHROPIC_CUSTOM_HEADERS: one `Name: value` a line. */
function customHeaders(provider: string, environment: Record<string, string>): Record<string, string> {
  if (provider !== "anthropic") return {};
  const headers: Record<string, string> = {};
  for (const line of (environment.ANTHROPIC_CUSTOM_HEADERS ?? "").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}

function noProvider(model: string): string {
  const names = Object.keys(PROVIDERS).join(", ");
  return `Cannot tell where the model "${model}" is: write provider/${model} with one of ${names}, or set the key or base URL of its provider (ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL, ...)`;
}

import { join } from "node:path";
import type { ClientContext } from "../protocol/rpc.ts";

/** Variables that hold a model key, in the order in which they are tried where several would do. */
export const CREDENTIAL_NAMES: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
  "GROQ_API_KEY",
  "DEEPSEEK_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
  "DASHSCOPE_API_KEY",
];

/** Variables that a client lends to its sessions and that commands get: where tools are and how to speak. */
const COMMAND_NAMES = new Set([
  "PATH",
  "LANG",
  "LANGUAGE",
  "TZ",
  "USER",
  "LOGNAME",
  "SHELL",
  "EDITOR",
  "VISUAL",
  "VIRTUAL_ENV",
  "PYENV_ROOT",
  "PYENV_VERSION",
  "NVM_DIR",
  "NVM_BIN",
  "VOLTA_HOME",
  "FNM_DIR",
  "GOPATH",
  "GOROOT",
  "GOFLAGS",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "RUSTUP_TOOLCHAIN",
  "JAVA_HOME",
  "MAVEN_HOME",
  "GRADLE_HOME",
  "ANDROID_HOME",
  "RBENV_ROOT",
  "RBENV_VERSION",
  "GEM_HOME",
  "DOTNET_ROOT",
  "NIX_PATH",
  "PKG_CONFIG_PATH",
  "LD_LIBRARY_PATH",
  "NODE_ENV",
  "CI",
  "NO_COLOR",
]);
const COMMAND_PREFIXES = ["LC_", "CONDA_", "ASDF_", "MISE_"];

/** Variables for lathe itself: how to reach models, and limits. Commands do not get them. */
const OWN_NAMES = new Set([
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "ANTHROPIC_CUSTOM_HEADERS",
  "OPENAI_BASE_URL",
  "OPENAI_MODEL",
  "GEMINI_MODEL",
  "GOOGLE_GEMINI_BASE_URL",
  "DASHSCOPE_BASE_URL",
  "OLLAMA_HOST",
  "CLAUDE_CONFIG_DIR",
  "MODEL_ID",
  "MAGIC_MODEL",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
]);

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/**
 * What a client process lends to its sessions: allow-listed variables, and keys apart from them: the known
 * ones, every `*_API_KEY` (a provider of the config may use it), and `keyNames` that the config names.
 */
export function pickEnvironment(
  environment: Record<string, string | undefined>,
  keyNames: readonly string[] = [],
): ClientContext {
  const picked: ClientContext = { environment: {}, credentials: {} };
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === "") continue;
    if (isCredential(name) || keyNames.includes(name)) picked.credentials[name] = value;
    else if (OWN_NAMES.has(name) || isForCommands(name)) picked.environment[name] = value;
  }
  return picked;
}

function isCredential(name: string): boolean {
  return CREDENTIAL_NAMES.includes(name) || /^[A-Z][A-Z0-9_]*_API_KEY$/.test(name);
}

/** The part of a session's environment that its commands get. */
export function commandVariables(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isForCommands(name)));
}

/** The part of a client's environment that may be stored: no headers and no URL with a password in it. */
export function storableEnvironment(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) =>
        !name.endsWith("_HEADERS") &&
        !/:\/\/[^/@\s]+@/.test(value) &&
        !(/proxy$/i.test(name) && value.includes("@")),
    ),
  );
}

/** Names of keys that the providers of a config text use: those that are no `*_API_KEY` must be named. */
export function configuredKeyNames(text: string): string[] {
  return [...text.matchAll(/"keyName"\s*:\s*"(\w+)"/g)].flatMap(([, name]) => name ?? []);
}

function isForCommands(name: string): boolean {
  if (SECRET_NAME.test(name)) return false;
  return COMMAND_NAMES.has(name) || COMMAND_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * Keys and `MODEL_ID` of a project's `.env`, as a fallback behind the environment. Nothing else of the file is
 * taken: never a base URL, never a variable for commands. Call only for a trusted folder.
 */
export function dotenvFallback(text: string): {
  credentials: Record<string, string>;
  modelId: string | null;
} {
  const credentials: Record<string, string> = {};
  let modelId: string | null = null;
  for (const [name, value] of parseDotenv(text)) {
    if (value === "") continue;
    if (name === "MODEL_ID") modelId = value;
    else if (name.endsWith("_API_KEY") && isCredential(name)) credentials[name] = value;
  }
  return { credentials, modelId };
}

/**
 * What a client lends, with the keys and the model's name that a trusted folder's `.env` adds where the
 * environment has none. An untrusted folder's file is not read.
 */
export function withDotenv(
  lent: ClientContext,
  folder: { cwd: string; trusted: boolean; readFile(path: string): string | null },
): ClientContext {
  const text = folder.trusted ? folder.readFile(join(folder.cwd, ".env")) : null;
  if (text === null) return lent;
  const { credentials, modelId } = dotenvFallback(text);
  const own = lent.environment.MODEL_ID ?? "";
  return {
    environment:
      modelId === null || own !== "" ? lent.environment : { ...lent.environment, MODEL_ID: modelId },
    credentials: { ...credentials, ...lent.credentials },
  };
}

/** `NAME=value` lines: blank lines and `#` lines ignored, split at the first `=`, quotes around a value removed. */
export function parseDotenv(text: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const line = raw.trim().replace(/^export\s+/, "");
    const at = line.indexOf("=");
    if (line === "" || line.startsWith("#") || at < 1) continue;
    const value = line.slice(at + 1).trim();
    const quoted = /^(["'])(.*)\1$/.exec(value);
    pairs.push([line.slice(0, at).trim(), quoted ? (quoted[2] ?? "") : value]);
  }
  return pairs;
}

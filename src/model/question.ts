import type { ModelOverrides } from "./overrides.ts";
import { PROVIDERS } from "./providers.ts";

/** What is known when a model is looked for. */
export type ModelQuestion = {
  /** By flag or by a stored session. */
  requested?: string;
  /** By config. */
  configured?: string;
  overrides?: ModelOverrides;
  environment: Record<string, string>;
  /** Value by name; only whether one is there matters here. */
  credentials: Record<string, string>;
  /** Names of keys that belong to the session though they are not at hand now (after a daemon restart). */
  promisedKeys?: readonly string[];
};

/** Is a key or a base URL of the provider at hand? */
export function isReachable(name: string, { credentials, environment }: ModelQuestion): boolean {
  const provider = PROVIDERS[name];
  if (!provider) return false;
  if (name === "ollama" && environment.OLLAMA_HOST) return true;
  return (
    provider.keyNames.some((key) => credentials[key]) ||
    (provider.baseUrlVariables ?? []).some((variable) => environment[variable])
  );
}

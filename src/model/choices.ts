import { PROVIDERS } from "./providers.ts";
import type { ModelQuestion } from "./question.ts";
import { isReachable } from "./question.ts";
import { resolveModel } from "./resolve.ts";

/** Which model would be used, and which providers can be reached with what is at hand. */
export function modelChoices(question: ModelQuestion): {
  models: { id: string; available: boolean; note: string }[];
  default: string | null;
} {
  const chosen = resolveModel(question);
  const names = [
    ...new Set([...Object.keys(PROVIDERS), ...Object.keys(question.overrides?.providers ?? {})]),
  ];
  return {
    default: chosen.ok ? chosen.value.id : null,
    models: names.map((name) => ({
      id: `${name}/...`,
      available: isReachable(name, question),
      note: isReachable(name, question) ? "can be used now" : needs(name),
    })),
  };
}

/** What a provider lacks: its key, or, for those that need none, a server. */
function needs(name: string): string {
  const [key] = PROVIDERS[name]?.keyNames ?? [];
  return key === undefined ? "needs its server to run and a model named" : `needs ${key}`;
}

import type { Json, JsonObject } from "../protocol/ids.ts";

/** What an approval is bound to: nothing else may be run with it. */
export type Binding = {
  tool: string;
  input: JsonObject;
  cwd: string;
  /** What the session may touch, and whether it is sandboxed. */
  policy: Json;
  sessionId: string;
};

/** One text for equal calls and different texts for different ones, whatever the order of the keys: to be hashed. */
export function bindingText(binding: Binding): string {
  const { tool, input, cwd, policy, sessionId } = binding;
  return sorted([tool, input, cwd, policy, sessionId]);
}

function sorted(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return `{${keys
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)
      .join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Compares two secrets in a time that does not tell where they differ. */
export function sameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    difference |= (a.charCodeAt(at) || 0) ^ (b.charCodeAt(at) || 0);
  }
  return difference === 0;
}

import type * as z from "zod/mini";
import { configSchema } from "./schema.ts";

/** One sentence for each key, at any depth, that means nothing to us, with the key that was probably meant. */
export function unknownKeys(value: Record<string, unknown>): string[] {
  return unknownIn(value, configSchema, "");
}

function unknownIn(value: unknown, schema: z.core.$ZodType, prefix: string): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "nullable") return unknownIn(value, def.innerType, prefix);
  if (def.type === "record") {
    return Object.entries(value).flatMap(([key, inner]) =>
      unknownIn(inner, def.valueType, `${prefix}${key}.`),
    );
  }
  if (def.type !== "object") return [];
  const { shape } = def;
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known ? unknownIn(inner, known, `${prefix}${key}.`) : [sentence(key, prefix, Object.keys(shape))];
  });
}

function sentence(key: string, prefix: string, known: readonly string[]): string {
  const near = known.map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }));
  const best = near.toSorted((a, b) => a.distance - b.distance)[0];
  const hint =
    best && best.distance <= Math.max(2, key.length / 3) ? `; did you mean ${prefix}${best.name}?` : "";
  return `unknown key ${prefix}${key} is ignored${hint}`;
}

/** Edit distance (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

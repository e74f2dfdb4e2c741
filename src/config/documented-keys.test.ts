import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type * as z from "zod/mini";
import { configSchema } from "./schema.ts";

/** Every key of the schema that takes a value, dotted; `NAME` stands for what the user names. */
function keysOf(schema: z.core.$ZodType, path: string[] = []): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "nullable") return keysOf(def.innerType, path);
  if (def.type === "object") {
    const inner = Object.entries(def.shape).flatMap(([key, value]) => keysOf(value, [...path, key]));
    return path.at(-1) === "price" ? [path.join("."), ...inner] : inner;
  }
  const named = def.type === "record" ? keysOf(def.valueType, [...path, "NAME"]) : [];
  return named.length > 1 ? named : [path.join(".")];
}

it("the page of the configuration names every key, and no other", () => {
  const page = readFileSync("docs/configuration.md", "utf8");
  const named = [...page.matchAll(/^\| `([\w$.]+)` \|/gm)].map(([, key]) => key);
  expect(named).toEqual(keysOf(configSchema));
});

import type { Json, JsonObject } from "../protocol/ids.ts";
import type { ToolCallBlock } from "../protocol/message.ts";
import { cutText, wellFormed } from "../shared/text.ts";

/** Characters of broken arguments that are kept, for the model to see what it wrote. */
const RAW_CHARS = 20_000;

/**
 * A call's argument text as its input. Nothing is repaired: what is not a JSON object makes an `invalid` call
 * with an empty input, which never runs. No text at all means no arguments. Lone surrogates are replaced.
 */
export function readArguments(raw: string): Pick<ToolCallBlock, "input" | "invalid"> {
  if (raw.trim() === "") return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    return broken(raw, `the arguments are not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const what = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    return broken(raw, `the arguments are ${what}, not a JSON object`);
  }
  return { input: (raw.includes("\\u") || !raw.isWellFormed() ? mend(value as Json) : value) as JsonObject };
}

function broken(raw: string, reason: string): Pick<ToolCallBlock, "input" | "invalid"> {
  return {
    input: {},
    invalid: { raw: wellFormed(cutText(raw, RAW_CHARS, "…")), reason: wellFormed(reason) },
  };
}

function mend(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(mend);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), mend(item)]));
}

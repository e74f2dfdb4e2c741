import type { Json } from "../../protocol/ids.ts";
import type { Parsed } from "../../protocol/tool.ts";
import type { Parameter } from "./parameter.ts";

/** Takes a value of a near type for the wanted one ("5" for 5, "true" for true, JSON text for a list). */
export function coerce(parameter: Parameter, given: Json, at: string): Parsed<Json> {
  switch (parameter.type) {
    case "string":
      return text(parameter, given, at);
    case "integer":
    case "number":
      return number(parameter, given, at);
    case "boolean":
      return truth(given, at);
    case "array":
      return list(given, at);
    case "object":
      return object(given, at);
  }
}

const wrong = (at: string, wanted: string, given: Json): Parsed<Json> => ({
  ok: false,
  error: `The parameter "${at}" must be ${wanted}, not ${describe(given)}.`,
});

function describe(given: Json): string {
  if (Array.isArray(given)) return "a list";
  if (typeof given === "object") return given === null ? "null" : "an object";
  return typeof given === "string" ? `the text ${JSON.stringify(given.slice(0, 40))}` : String(given);
}

function text(parameter: Extract<Parameter, { type: "string" }>, given: Json, at: string): Parsed<Json> {
  const value = typeof given === "number" || typeof given === "boolean" ? String(given) : given;
  if (typeof value !== "string") return wrong(at, "a text", given);
  if (value.length < (parameter.minLength ?? 0)) return wrong(at, "a text that is not empty", given);
  if (!parameter.choices || parameter.choices.includes(value)) return { ok: true, value };
  const near = parameter.choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  return near ? { ok: true, value: near } : wrong(at, `one of ${parameter.choices.join(", ")}`, given);
}

function number(
  parameter: Extract<Parameter, { type: "integer" | "number" }>,
  given: Json,
  at: string,
): Parsed<Json> {
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  const whole = parameter.type === "integer";
  if (typeof value !== "number" || !Number.isFinite(value) || (whole && !Number.isInteger(value))) {
    return wrong(at, whole ? "a whole number" : "a number", given);
  }
  if (value < (parameter.minimum ?? -Infinity)) return wrong(at, `at least ${parameter.minimum}`, given);
  if (value > (parameter.maximum ?? Infinity)) return wrong(at, `at most ${parameter.maximum}`, given);
  return { ok: true, value };
}

function truth(given: Json, at: string): Parsed<Json> {
  if (typeof given === "boolean") return { ok: true, value: given };
  const word = String(given).toLowerCase();
  if (["true", "1", "yes"].includes(word)) return { ok: true, value: true };
  if (["false", "0", "no", ""].includes(word)) return { ok: true, value: false };
  return wrong(at, "true or false", given);
}

function list(given: Json, at: string): Parsed<Json> {
  const value = fromJson(given, "[");
  if (Array.isArray(value)) return { ok: true, value };
  return typeof value === "string" ? { ok: true, value: [value] } : wrong(at, "a list", given);
}

function object(given: Json, at: string): Parsed<Json> {
  const value = fromJson(given, "{");
  const good = typeof value === "object" && value !== null && !Array.isArray(value);
  return good ? { ok: true, value } : wrong(at, "an object", given);
}

function fromJson(given: Json, opening: string): Json {
  if (typeof given !== "string" || !given.trimStart().startsWith(opening)) return given;
  try {
    return JSON.parse(given) as Json;
  } catch {
    return given;
  }
}

import type { Json, JsonObject } from "../../protocol/ids.ts";
import type { InputSchema, Parsed } from "../../protocol/tool.ts";
import { coerce } from "./coerce.ts";
import type { Parameter, Parameters, Values } from "./parameter.ts";

/** JSON Schema of the parameters, as the model sees it. */
export function schemaOf(parameters: Parameters): InputSchema {
  const required = Object.keys(parameters).filter((name) => parameters[name]?.required);
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [name, parameterSchema(parameter)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

function parameterSchema(parameter: Parameter): JsonObject {
  const description: JsonObject = parameter.description ? { description: parameter.description } : {};
  if (parameter.type === "array") {
    return { type: "array", items: parameterSchema(parameter.items), ...description };
  }
  if (parameter.type === "object") {
    const { type, properties, required } = schemaOf(parameter.properties);
    return { type, properties, ...(required ? { required } : {}), ...description };
  }
  if (parameter.type === "string" && parameter.choices) {
    return { type: "string", enum: [...parameter.choices], ...description };
  }
  return { type: parameter.type, ...description };
}

/**
 * Checks what a model sent. Names in other spellings and values of a near type are taken; what is missing or
 * wrong is named with its place (`items[2].id`). Unknown parameters are ignored, but not those that ask for
 * more rights: whoever asks must learn that there are none to get.
 */
export function parseInput<P extends Parameters>(parameters: P, input: JsonObject): Parsed<Values<P>> {
  const parsed = parseObject(parameters, input, "");
  return parsed.ok ? { ok: true, value: parsed.value as Values<P> } : parsed;
}

function parseObject(parameters: Parameters, input: JsonObject, at: string): Parsed<JsonObject> {
  const widening = Object.keys(input).find((name) => !find(parameters, name) && widens(name, input[name]));
  if (widening !== undefined) {
    return {
      ok: false,
      error: `The parameter "${at}${widening}" does not exist: a call cannot change its own rights. Leave it out.`,
    };
  }
  const values: JsonObject = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const given = pick(name, parameter, input);
    if (given === undefined || (given === null && !parameter.required)) {
      if (parameter.required) return { ok: false, error: `Missing required parameter "${at}${name}".` };
      continue;
    }
    const value = parseValue(parameter, given, `${at}${name}`);
    if (!value.ok) return value;
    values[name] = value.value;
  }
  return { ok: true, value: values };
}

function parseValue(parameter: Parameter, given: Json, at: string): Parsed<Json> {
  const coerced = coerce(parameter, given, at);
  if (!coerced.ok) return coerced;
  if (parameter.type === "object")
    return parseObject(parameter.properties, coerced.value as JsonObject, `${at}.`);
  if (parameter.type !== "array") return coerced;
  const items: Json[] = [];
  for (const [index, item] of (coerced.value as Json[]).entries()) {
    const value = parseValue(parameter.items, item, `${at}[${index}]`);
    if (!value.ok) return value;
    items.push(value.value);
  }
  return { ok: true, value: items };
}

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

const answersTo = (name: string, parameter: Parameter, given: string): boolean =>
  [name, ...(parameter.aliases ?? [])].some((known) => plain(known) === plain(given));

function find(parameters: Parameters, given: string): boolean {
  return Object.entries(parameters).some(([name, parameter]) => answersTo(name, parameter, given));
}

function pick(name: string, parameter: Parameter, input: JsonObject): Json | undefined {
  if (Object.hasOwn(input, name)) return input[name];
  for (const known of [name, ...(parameter.aliases ?? [])]) {
    const given = Object.keys(input).find((key) => plain(key) === plain(known));
    if (given !== undefined) return input[given];
  }
  return undefined;
}

const RIGHTS = /sandbox|roots?$|escalat|privilege|permission|bypass|dangerous|unsafe|protected/i;

function widens(name: string, value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "" || value === "false")
    return false;
  return RIGHTS.test(name);
}

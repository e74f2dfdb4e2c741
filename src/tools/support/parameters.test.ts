import { expect, test } from "vitest";
import type { JsonObject } from "../../protocol/ids.ts";
import type { Parameters } from "./parameter.ts";
import { parseInput, schemaOf } from "./parameters.ts";

const parameters = {
  items: {
    type: "array",
    required: true,
    items: {
      type: "object",
      properties: {
        id: { type: "string", required: true },
        state: { type: "string", choices: ["open", "done"] },
        weight: { type: "integer", minimum: 1, maximum: 9 },
      },
    },
  },
  deep: { type: "boolean", aliases: ["is_deep"] },
} as const satisfies Parameters;

const parse = (input: JsonObject): unknown => {
  const parsed = parseInput(parameters, input);
  return parsed.ok ? parsed.value : parsed.error;
};

test("what is missing or wrong is named with its place", () => {
  expect(parse({})).toBe('Missing required parameter "items".');
  expect(parse({ items: [{ id: "a" }, {}] })).toBe('Missing required parameter "items[1].id".');
  expect(parse({ items: [{ id: "a", weight: 10 }] })).toBe(
    'The parameter "items[0].weight" must be at most 9, not 10.',
  );
  expect(parse({ items: [{ id: "a", state: "lost" }] })).toContain("must be one of open, done");
  expect(parse({ items: 5 })).toBe('The parameter "items" must be a list, not 5.');
  expect(parse({ items: [{ id: ["a"] }] })).toBe('The parameter "items[0].id" must be a text, not a list.');
});

test("near types and other spellings are taken, unknown names ignored", () => {
  expect(parse({ items: '[{"id": 7, "weight": "5"}]', isDeep: "true", note: "x" })).toEqual({
    items: [{ id: "7", weight: 5 }],
    deep: true,
  });
  expect(parse({ items: [{ id: "a", state: "DONE", weight: null }] })).toEqual({
    items: [{ id: "a", state: "done" }],
  });
});

test("the schema has types, choices and what is required", () => {
  expect(schemaOf(parameters)).toEqual({
    type: "object",
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            state: { type: "string", enum: ["open", "done"] },
            weight: { type: "integer" },
          },
          required: ["id"],
        },
      },
      deep: { type: "boolean" },
    },
    required: ["items"],
  });
});

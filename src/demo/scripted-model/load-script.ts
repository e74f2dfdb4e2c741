import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { AppError, errorMessage } from "../../shared/error.ts";
import type { ScriptFile } from "./types.ts";

const count = z.number().check(z.gte(0));
const call = {
  name: z.string(),
  input: z.optional(z.unknown()),
  raw: z.optional(z.string()),
  id: z.optional(z.nullable(z.string())),
  index: z.optional(z.nullable(z.number())),
  whole: z.optional(z.boolean()),
  argumentsAsObject: z.optional(z.boolean()),
};
const block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), text: z.string(), signature: z.optional(z.string()) }),
  z.strictObject({ type: z.literal("redacted_thinking") }),
  z.strictObject({ type: z.literal("call"), ...call }),
]);
const tokens = z.optional(z.nullable(count));
const turn = z.strictObject({
  when: z.optional(z.strictObject({ bodyContains: z.string() })),
  thinking: z.optional(z.string()),
  text: z.optional(z.string()),
  calls: z.optional(z.array(z.strictObject(call))),
  content: z.optional(z.array(block)),
  stop: z.optional(z.nullable(z.string())),
  usage: z.optional(
    z.nullable(
      z.strictObject({
        input: tokens,
        output: tokens,
        cacheRead: tokens,
        cacheWrite: tokens,
        startOutput: tokens,
      }),
    ),
  ),
  startUsage: z.optional(z.unknown()),
  endUsage: z.optional(z.unknown()),
  chunkSize: z.optional(z.number().check(z.gte(1))),
  writeSize: z.optional(z.number().check(z.gte(1))),
  latencyMs: z.optional(count),
  delayMs: z.optional(count),
  tokensPerSecond: z.optional(z.number().check(z.gt(0))),
  hold: z.optional(z.union([z.literal("request"), z.literal("end"), count])),
  cut: z.optional(z.strictObject({ type: z.enum(["reset", "clean"]), after: z.optional(count) })),
  error: z.optional(
    z.strictObject({
      status: z.number().check(z.gte(400), z.lte(599)),
      headers: z.optional(z.record(z.string(), z.string())),
      type: z.optional(z.string()),
      message: z.optional(z.string()),
      body: z.optional(z.unknown()),
    }),
  ),
  streamError: z.optional(
    z.strictObject({ type: z.string(), message: z.string(), after: z.optional(count) }),
  ),
  raw: z.optional(z.array(z.unknown())),
  json: z.optional(z.boolean()),
  headers: z.optional(z.record(z.string(), z.string())),
});
const file = z.strictObject({ turns: z.array(turn), repeatLast: z.optional(z.boolean()) });

/** Checks a parsed script; `from` names it in errors. Throws AppError `bad_script` with the faulty places. */
export function parseScript(value: unknown, from: string): ScriptFile {
  const result = file.safeParse(Array.isArray(value) ? { turns: value } : value);
  if (result.success) return result.data;
  const places = result.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join(".") || "top"}: ${complaint(issue)}`);
  throw new AppError("bad_script", `${from} is not a model script. Mend: ${places.join("; ")}`);
}

// zod/mini carries no texts of its own.
function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
    case "invalid_type":
      return `expected ${issue.expected}`;
    case "invalid_value":
      return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** Reads a script file (JSON; see types.ts). Throws AppError `bad_script` naming the file and the place. */
export async function loadScript(path: string): Promise<ScriptFile> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new AppError("bad_script", `Cannot read the model script ${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  return parseScript(value, path);
}

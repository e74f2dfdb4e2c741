import * as z from "zod/mini";
import type { JsonObject } from "../ids.ts";

/** Pieces that several methods share. Every limit here is a promise of docs/protocol.md. */

const ID_LENGTH = 128;
const TEXT_LENGTH = 16 * 1024 * 1024;

export const id = z.string().check(z.minLength(1), z.maxLength(ID_LENGTH));

export const uuid = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID in the usual spelling"));

export const name = z.string().check(z.minLength(1), z.maxLength(4096));

export const text = z.string().check(z.maxLength(TEXT_LENGTH));

export const path = z
  .string()
  .check(z.regex(/^\/[^\0]{0,4095}$/, "must be an absolute path of at most 4,096 characters"));

export const count = z.int().check(z.minimum(0));

export const limit = z.int().check(z.minimum(1), z.maximum(10_000));

export const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex"));

/** What JSON.parse gave is JSON already: the object is passed on as it is, at no cost and any depth. */
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

export const stringMap = z.record(
  z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable")),
  z.string().check(z.regex(/^[^\0]*$/, "must not hold a NUL character")),
);

export const mode = z.enum(["ask", "accept-edits", "auto", "read-only", "bypass"]);

export const rule = z.strictObject({
  effect: z.enum(["allow", "deny", "ask"]),
  tool: name,
  match: z.optional(z.string()),
  scope: z.enum(["builtin", "managed", "user", "project", "session", "flag"]),
  source: z.string(),
});

export const clientContext = z.strictObject({ environment: stringMap, credentials: stringMap });

export const sessionOptions = z.strictObject({
  systemPrompt: z.optional(text),
  appendSystemPrompt: z.optional(text),
  allowedTools: z.optional(z.array(z.string())),
  disallowedTools: z.optional(z.array(z.string())),
  tools: z.optional(z.array(z.string())),
  sandbox: z.enum(["on", "none"]),
});

const bound = z.optional(z.nullable(z.number().check(z.minimum(0))));
const wholeBound = z.optional(z.nullable(count));

export const limits = z.strictObject({
  maxSteps: wholeBound,
  maxToolCalls: wholeBound,
  maxTokens: wholeBound,
  maxCostUsd: bound,
  maxSeconds: bound,
});

export const promptPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text }),
  z.strictObject({
    type: z.literal("image"),
    mediaType: name,
    base64: z.string().check(z.regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be base64 without line breaks")),
    name: z.optional(z.string()),
  }),
]);

export const approvalAnswer = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("allow"), scope: z.enum(["once", "task", "project", "everywhere"]) }),
  z.strictObject({ type: z.literal("deny"), message: z.optional(text) }),
  z.strictObject({ type: z.literal("reply"), text }),
]);

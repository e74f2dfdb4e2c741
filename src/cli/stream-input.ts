import type { PromptPart } from "../protocol/rpc.ts";
import { AppError } from "../shared/error.ts";
import type { CliHost } from "./host.ts";

/** Prompts of `--input-format stream-json`: one user message a line; a bad line is an error that names it. */
export async function* inputPrompts(host: CliHost): AsyncGenerator<PromptPart[]> {
  // Fetched when it is used: plain prompts, which are nearly all, do without it.
  const { createInterface } = process.getBuiltinModule("node:readline");
  const lines = createInterface({ input: host.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    yield parseLine(line, number);
  }
}

function parseLine(line: string, number: number): PromptPart[] {
  const bad = (why: string): AppError => new AppError("bad_input", `line ${number} of standard input ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw bad("is not JSON");
  }
  if (!isRecord(value) || value.type !== "user" || !isRecord(value.message)) {
    throw bad('is no {"type":"user","message":{"role":"user","content":...}}');
  }
  const { content } = value.message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw bad("has no content");
  return content.map((block: unknown) => {
    const part = partOf(block);
    if (!part) throw bad("has a content block that is neither text nor a base64 image");
    return part;
  });
}

function partOf(block: unknown): PromptPart | null {
  if (!isRecord(block)) return null;
  if (block.type === "text" && typeof block.text === "string") return { type: "text", text: block.text };
  const { source } = block;
  if (block.type !== "image" || !isRecord(source) || source.type !== "base64") return null;
  const { media_type: mediaType, data } = source;
  return typeof mediaType === "string" && typeof data === "string"
    ? { type: "image", mediaType, base64: data }
    : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

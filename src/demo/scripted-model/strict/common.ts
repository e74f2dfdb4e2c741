import type { IncomingHttpHeaders } from "node:http";

/** A JSON object as received; anything may be missing. */
export type Loose = { [key: string]: unknown };

export const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): Loose[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The body as strict UTF-8 JSON object; problems otherwise. */
export function decodeBody(raw: Uint8Array): { body: Loose; problems: string[] } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    return { body: {}, problems: ["the body is not valid UTF-8"] };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: {}, problems: ["the body is not valid JSON"] };
  }
  if (!isObject(body)) return { body: {}, problems: ["the body is no JSON object"] };
  return { body, problems: loneSurrogates(body, "body") };
}

function loneSurrogates(value: unknown, place: string): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [`${place} holds a lone surrogate`];
  if (Array.isArray(value)) return value.flatMap((item, index) => loneSurrogates(item, `${place}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key.isWellFormed()
      ? loneSurrogates(item, `${place}.${key}`)
      : [`${place} has a key with a lone surrogate`],
  );
}

/** A key must be sent: `x-api-key` where the wire knows it, or a bearer token. */
export function keyProblems(headers: IncomingHttpHeaders, wire: "anthropic" | "openai"): string[] {
  if (/^Bearer \S/.test(headers.authorization ?? "")) return [];
  if (wire === "anthropic" && headers["x-api-key"]) return [];
  return [wire === "anthropic" ? "no x-api-key and no bearer token" : "no bearer token"];
}

const MAGIC: Record<string, (bytes: Buffer) => boolean> = {
  "image/png": (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])),
  "image/jpeg": (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  "image/gif": (bytes) => bytes.toString("latin1", 0, 4) === "GIF8",
  "image/webp": (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
};

/** Base64 must be whole and the bytes must begin as their media type does. */
export function imageProblems(mediaType: unknown, base64: unknown, place: string): string[] {
  const magic = typeof mediaType === "string" ? MAGIC[mediaType] : undefined;
  if (!magic) return [`${place}: image of unsupported media type ${String(mediaType)}`];
  if (typeof base64 !== "string" || base64 === "") return [`${place}: image without data`];
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    return [`${place}: image is not base64`];
  return magic(Buffer.from(base64.slice(0, 64), "base64"))
    ? []
    : [`${place}: image data is not ${mediaType}`];
}

/** `data:` URL of an image. */
export function dataUrlProblems(url: unknown, place: string): string[] {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(typeof url === "string" ? url : "");
  return match ? imageProblems(match[1], match[2], place) : [`${place}: image is no base64 data URL`];
}

/** Names are legal and unique, schemas are objects at the top and have no union there. */
export function toolProblems(tools: { name: unknown; schema: unknown }[]): string[] {
  const seen = new Set<unknown>();
  return tools.flatMap(({ name, schema }) => {
    const problems: string[] = [];
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      problems.push(`tool name ${String(name)} is not legal`);
    if (seen.has(name)) problems.push(`tool ${String(name)} is listed twice`);
    seen.add(name);
    if (!isObject(schema) || schema.type !== "object")
      problems.push(`schema of tool ${String(name)} is not an object`);
    else if (schema.anyOf || schema.oneOf || schema.allOf)
      problems.push(`schema of tool ${String(name)} is a union at the top`);
    return problems;
  });
}

/** Each open call answered exactly once by these results, and no result without a call. */
export function pairingProblems(open: string[], answered: string[], place: string): string[] {
  const problems: string[] = [];
  for (const id of open) {
    const times = answered.filter((answer) => answer === id).length;
    if (times !== 1) problems.push(`${place}: call ${id} is answered ${times} times in the next message`);
  }
  for (const id of answered) {
    if (!open.includes(id))
      problems.push(`${place}: result for ${id}, which was not called in the message before`);
  }
  return problems;
}

/** Collects call ids over a request and tells repeated ones. */
export function idCollector(problems: string[]): (id: unknown, place: string) => string {
  const seen = new Set<string>();
  return (id, place) => {
    if (typeof id !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)) {
      problems.push(`${place}: call id ${String(id)} is not legal`);
      return String(id);
    }
    if (seen.has(id)) problems.push(`${place}: call id ${id} is used twice`);
    seen.add(id);
    return id;
  };
}

export const blank = (text: unknown): boolean => typeof text !== "string" || text.trim() === "";

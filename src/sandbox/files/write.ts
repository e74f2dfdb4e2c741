import type { FileChange, Result } from "../../protocol/ports.ts";
import { change, checkSeen } from "./change.ts";
import { type FilesOptions, writable } from "./context.ts";
import { detectEncoding, fromUnits, looksBinary, textOf, toUnits, unitsOf } from "./encoding.ts";
import { fail } from "./errors.ts";
import { endAround, normaliseEnds } from "./line-ends.ts";
import { type Loaded, load } from "./load.ts";

/**
 * Writes a whole file, with missing parent directories. An existing file must have been read before; it keeps
 * its encoding, its mark and, when it uses CRLF throughout, its line ends.
 */
export async function writeText(
  options: FilesOptions,
  path: string,
  content: string,
): Promise<Result<FileChange>> {
  const target = await openTarget(options, path);
  if (!target.ok) return target;
  const { realPath, before } = target.value;
  if (!before) {
    return change(options, { path, realPath, before, after: Buffer.from(content, "utf8") });
  }
  const bytes = before.bytes;
  if (!bytes)
    return fail("too_large", `${path} is too large to replace (${before.size} bytes). Delete it first.`);
  const fresh = bytes.length === 0 ? ({ ok: true } as const) : checkSeen(options, realPath, path, bytes);
  if (!fresh.ok) return fresh;
  return change(options, { path, realPath, before, after: encodeLike(bytes, content) });
}

/** Adds text at the end of a file, or makes the file. Encoding and line ends follow what is there. */
export async function appendText(
  options: FilesOptions,
  path: string,
  content: string,
): Promise<Result<FileChange>> {
  const target = await openTarget(options, path);
  if (!target.ok) return target;
  const { realPath, before } = target.value;
  if (!before) {
    return change(options, { path, realPath, before, after: Buffer.from(content, "utf8") });
  }
  const bytes = before.bytes;
  if (!bytes) return fail("too_large", `${path} is too large to append to (${before.size} bytes).`);
  const encoding = detectEncoding(bytes);
  if (!encoding) return fail("unsupported_encoding", `UTF-32 text cannot be appended to: ${path}`);
  if (looksBinary(bytes.subarray(0, 8192), encoding)) return fail("binary", `Not a text file: ${path}`);
  const units = toUnits(bytes, encoding);
  const file = normaliseEnds(units);
  const end = endAround(file, file.text.length, file.text.length);
  const added = unitsOf(content.replaceAll("\r\n", "\n"), encoding).replaceAll("\n", end);
  return change(options, { path, realPath, before, after: fromUnits(units + added, encoding, bytes) });
}

async function openTarget(
  options: FilesOptions,
  path: string,
): Promise<Result<{ realPath: string; before: Loaded | null }>> {
  const real = await writable(options, path);
  if (!real.ok) return real;
  const before = await load(real.value, path);
  return before.ok ? { ok: true, value: { realPath: real.value, before: before.value } } : before;
}

function encodeLike(old: Buffer, content: string): Buffer {
  const encoding = detectEncoding(old);
  if (!encoding || looksBinary(old.subarray(0, 8192), encoding)) return Buffer.from(content, "utf8");
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const file = normaliseEnds(toUnits(old, encoding));
  const lines = textOf(file.text, encoding).split("\n").length - 1;
  const allCrlf = file.crlf.length > 0 && file.crlf.length === lines;
  const ended = allCrlf ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  return fromUnits(unitsOf(ended, encoding), encoding, old.subarray(0, old.length - (old.length % 2)));
}

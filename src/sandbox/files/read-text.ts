import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import type { FilePort, Result, TextSlice } from "../../protocol/ports.ts";
import { type FilesOptions, readable } from "./context.ts";
import { detectEncoding } from "./encoding.ts";
import { fail, failFrom } from "./errors.ts";
import { openJudged, statOf } from "./handles.ts";
import { sniff } from "./kind.ts";
import { createLineWindow, type LineWindow, type WindowQuery } from "./line-window.ts";

const CHUNK = 256 * 1024;

/** Reads a window of lines in one pass with bounded memory, and notes the file's hash as read. */
export async function readText(
  options: FilesOptions,
  path: string,
  query: Parameters<FilePort["readText"]>[1],
): Promise<Result<TextSlice>> {
  const real = await readable(options, path);
  if (!real.ok) return real;
  let handle: FileHandle | undefined;
  try {
    handle = await openJudged(real.value);
    const stat = statOf(handle);
    if (stat.isDirectory()) return fail("is_directory", `Is a directory: ${path}`);
    if (!stat.isFile()) return fail("invalid", `Not a regular file (a device, pipe or socket): ${path}`);
    const window = {
      firstLine: Math.max(1, query.firstLine ?? 1),
      maxLines: query.maxLines ?? Number.POSITIVE_INFINITY,
      maxChars: query.maxChars,
      startChar: query.startChar ?? 0,
    };
    const read = await scan(handle, window, path, stat.size, options.signal);
    if (!read.ok) return read;
    if (!options.dryRun) options.seen.set(real.value, read.value.hash);
    return { ok: true, value: toSlice(path, window.firstLine, read.value) };
  } catch (error) {
    return failFrom(error, path);
  } finally {
    await handle?.close();
  }
}

type Scanned = LineWindow & { hash: string; bytes: number };

async function scan(
  handle: FileHandle,
  query: WindowQuery,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<Result<Scanned>> {
  const buffer = Buffer.allocUnsafe(size > 0 ? Math.min(CHUNK, size) : CHUNK);
  const hash = createHash("sha256");
  const window = createLineWindow(query);
  let decoder: TextDecoder | undefined;
  let bytes = 0;
  // Files of /proc say that they have no size.
  while (size === 0 || bytes < size) {
    if (signal.aborted) return fail("aborted", "Interrupted.");
    const { bytesRead } = await handle.read(
      buffer,
      0,
      size > 0 ? Math.min(buffer.length, size - bytes) : buffer.length,
      bytes,
    );
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (!decoder) {
      const encoding = detectEncoding(chunk);
      if (!encoding) return fail("unsupported_encoding", `UTF-32 text is not supported: ${path}`);
      const { type } = sniff(chunk, size, path);
      if (type !== "text" && type !== "notebook") return fail("binary", `Not a text file: ${path}`);
      decoder = new TextDecoder(encoding.name);
    }
    hash.update(chunk);
    bytes += bytesRead;
    window.push(decoder.decode(chunk, { stream: true }));
  }
  if (decoder) window.push(decoder.decode());
  return { ok: true, value: { ...window.end(), hash: hash.digest("hex"), bytes } };
}

function toSlice(path: string, firstLine: number, read: Scanned): TextSlice {
  const lastGiven = firstLine - 1 + read.lines.length;
  return {
    path,
    lines: read.lines,
    firstLine,
    totalLines: read.totalLines,
    totalBytes: read.bytes,
    remainingLines: Math.max(0, read.totalLines - lastGiven),
    ...(read.nextChar === null ? {} : { nextChar: read.nextChar }),
  };
}

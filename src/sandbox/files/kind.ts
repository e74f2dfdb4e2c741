import type { FileHandle } from "node:fs/promises";
import type { FileKind, Result } from "../../protocol/ports.ts";
import { errorCode } from "../../shared/error.ts";
import { sha256 } from "../../shared/hash.ts";
import { type FilesOptions, readable } from "./context.ts";
import { detectEncoding, looksBinary } from "./encoding.ts";
import { fail, failFrom } from "./errors.ts";
import { openJudged, statOf } from "./handles.ts";
import { readWhole } from "./load.ts";

const HEAD = 8192;

/** Says what lies at a path, by its content: first bytes, and the name for notebooks. */
export async function fileKind(options: FilesOptions, path: string): Promise<Result<FileKind>> {
  const real = await readable(options, path);
  if (!real.ok) return real;
  let handle: FileHandle | undefined;
  try {
    handle = await openJudged(real.value);
    const stat = statOf(handle);
    if (stat.isDirectory()) return { ok: true, value: { type: "directory" } };
    if (!stat.isFile()) return fail("invalid", `Not a regular file (a device, pipe or socket): ${path}`);
    const head = Buffer.alloc(Math.min(HEAD, stat.size));
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return { ok: true, value: sniff(head.subarray(0, bytesRead), stat.size, path) };
  } catch (error) {
    if (errorCode(error) === "ENXIO") return fail("invalid", `Not a regular file (a socket): ${path}`);
    return failFrom(error, path);
  } finally {
    await handle?.close();
  }
}

/** The whole of a file, at most `maxBytes`; noted as read. */
export async function readBytes(
  options: FilesOptions,
  path: string,
  maxBytes: number,
): Promise<Result<Uint8Array>> {
  const real = await readable(options, path);
  if (!real.ok) return real;
  let handle: FileHandle | undefined;
  try {
    handle = await openJudged(real.value);
    const stat = statOf(handle);
    if (!stat.isFile()) return fail(stat.isDirectory() ? "is_directory" : "invalid", `Not a file: ${path}`);
    if (stat.size > maxBytes) {
      return fail("too_large", `${path} has ${stat.size} bytes; the limit is ${maxBytes}.`);
    }
    const whole = await readWhole(handle, stat.size);
    if (!options.dryRun) options.seen.set(real.value, sha256(whole));
    return { ok: true, value: whole };
  } catch (error) {
    return failFrom(error, path);
  } finally {
    await handle?.close();
  }
}

const MAGIC: [string, string, "image" | "pdf" | "binary"][] = [
  ["89504e470d0a1a0a", "image/png", "image"],
  ["ffd8ff", "image/jpeg", "image"],
  ["474946383761", "image/gif", "image"],
  ["474946383961", "image/gif", "image"],
  ["255044462d", "application/pdf", "pdf"],
  ["7f454c46", "ELF executable or library", "binary"],
  ["504b0304", "zip archive (also jar, docx, xlsx)", "binary"],
  ["1f8b", "gzip data", "binary"],
  ["425a68", "bzip2 data", "binary"],
  ["fd377a585a00", "xz data", "binary"],
  ["28b52ffd", "zstd data", "binary"],
  ["53514c69746520666f726d6174203300", "SQLite database", "binary"],
  ["0061736d", "WebAssembly module", "binary"],
  ["cafebabe", "Java class or Mach-O binary", "binary"],
  ["cffaedfe", "Mach-O binary", "binary"],
];

/** What a file of so many bytes is, by its first ones (8 KiB are looked at). */
export function sniff(start: Buffer, bytes: number, path: string): FileKind {
  const head = start.subarray(0, HEAD);
  const hex = head.subarray(0, 16).toString("hex");
  const known = MAGIC.find(([magic]) => hex.startsWith(magic));
  if (known?.[2] === "image") return { type: "image", mediaType: known[1], bytes };
  if (known?.[2] === "pdf") return { type: "pdf", bytes };
  if (known && /[\0\x80-\xff]/.test(head.toString("latin1"))) {
    return { type: "binary", description: known[1], bytes };
  }
  if (hex.startsWith("52494646") && head.toString("latin1", 8, 12) === "WEBP") {
    return { type: "image", mediaType: "image/webp", bytes };
  }
  const encoding = detectEncoding(head);
  if (!encoding) return { type: "binary", description: "UTF-32 text (encoding not supported)", bytes };
  if (looksBinary(head, encoding)) return { type: "binary", description: "binary data", bytes };
  return { type: /\.ipynb$/i.test(path) ? "notebook" : "text", bytes };
}

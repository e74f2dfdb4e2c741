import type { PortError } from "../../protocol/ports.ts";
import { errorCode, errorMessage } from "../../shared/error.ts";

/** A refusal of the file layer as a value. */
export type Failure = { ok: false; error: PortError };

/** Builds a failed result. */
export function fail(code: PortError["code"], message: string): Failure {
  return { ok: false, error: { code, message } };
}

const BY_NODE_CODE: Record<string, [PortError["code"], string]> = {
  ENOENT: ["not_found", "No such file or directory"],
  EISDIR: ["is_directory", "Is a directory"],
  ENOTDIR: ["not_a_directory", "A part of the path is not a directory"],
  EACCES: ["permission", "Permission denied"],
  EPERM: ["permission", "Operation not permitted"],
  EROFS: ["permission", "Read-only file system"],
  ENOSPC: ["no_space", "No space left on the device"],
  EDQUOT: ["no_space", "Disk quota exceeded"],
  ENAMETOOLONG: ["invalid", "Path too long"],
  ELOOP: ["invalid", "Too many symbolic links"],
  EFBIG: ["too_large", "File too large for the file system"],
};

/** Turns what the operating system threw into a failed result that names the path. */
export function failFrom(error: unknown, path: string): Failure {
  if (error instanceof Error && error.name === "AbortError") return fail("aborted", "Interrupted.");
  const known = BY_NODE_CODE[errorCode(error) ?? ""];
  if (known) return fail(known[0], `${known[1]}: ${path}`);
  return fail("io", `${errorMessage(error)}: ${path}`);
}

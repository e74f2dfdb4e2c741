import type { FileChange, Result } from "../../protocol/ports.ts";
import { sha256 } from "../../shared/hash.ts";
import { atomicWrite } from "./atomic-write.ts";
import { type FilesOptions, MAX_KEPT_BYTES } from "./context.ts";
import { detectEncoding, looksBinary, textOf, toUnits } from "./encoding.ts";
import { fail, failFrom } from "./errors.ts";
import type { Loaded } from "./load.ts";
import { makePatch } from "./patch.ts";

/** Refuses to change a file that this session has not read, or that is not what it read. */
export function checkSeen(
  options: FilesOptions,
  realPath: string,
  path: string,
  bytes: Buffer,
): Result<null> {
  const seen = options.seen.get(realPath);
  if (seen === undefined) return fail("not_read", `Read ${path} first: it was not read in this session.`);
  if (seen === sha256(bytes)) return { ok: true, value: null };
  return fail(
    "changed_since_read",
    `${path} has changed since it was read. Read it again, then repeat the change.`,
  );
}

/** Stores both versions, writes the new one, and reports the change. The same bytes are not written again. */
export async function change(
  options: FilesOptions,
  target: { path: string; realPath: string; before: Loaded | null; after: Buffer; newMode?: number },
): Promise<Result<FileChange>> {
  const { path, realPath, before, after } = target;
  if (options.signal.aborted) return fail("aborted", "Interrupted before anything was written.");
  const old = before?.bytes ?? null;
  const outcome = { path, bytes: after.length, created: before === null };
  if (old?.equals(after)) {
    return { ok: true, value: { ...outcome, patch: "", added: 0, removed: 0 } };
  }
  const value = (): FileChange => ({ ...outcome, ...makePatch(readableText(old), readableText(after)) });
  if (options.dryRun) return { ok: true, value: value() };
  try {
    // Side by side with the new file, as each waits for the disk; that one takes its place when they are stored.
    const storing = Promise.all([
      old ? options.storeBytes(old) : null,
      after.length <= MAX_KEPT_BYTES ? options.storeBytes(after) : null,
    ]);
    storing.catch(() => undefined);
    await atomicWrite(realPath, after, before, target.newMode, storing);
    const [beforeHash, afterHash] = await storing;
    // What was appended to unread content leaves that content unread.
    const known = !old || old.length === 0 || options.seen.get(realPath) === sha256(old);
    if (known) options.seen.set(realPath, sha256(after));
    await options.onChange({
      path: realPath,
      before: beforeHash,
      after: afterHash,
      mode: before?.mode ?? null,
    });
  } catch (error) {
    return failFrom(error, path);
  }
  return { ok: true, value: value() };
}

function readableText(bytes: Buffer | null): string {
  if (!bytes) return "";
  const encoding = detectEncoding(bytes);
  if (!encoding || looksBinary(bytes.subarray(0, 8192), encoding)) return "";
  return textOf(toUnits(bytes, encoding), encoding).replaceAll("\r\n", "\n");
}

import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "../../protocol/ports.ts";
import { type FilesOptions, MAX_KEPT_BYTES, writable } from "./context.ts";
import { fail } from "./errors.ts";
import { load } from "./load.ts";

/** One regular file below a directory, its bytes stored. */
export type StoredFile = { path: string; hash: string | null; mode: number };

const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Checks that everything at or below a judged path may be written, and stores the bytes of its files so that
 * a delete or move can be undone. Links are never followed. Refused when there is too much to store.
 */
export async function storeTree(
  options: FilesOptions,
  realPath: string,
  path: string,
): Promise<Result<StoredFile[]>> {
  const files: StoredFile[] = [];
  const waiting = [realPath];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (options.signal.aborted) return fail("aborted", "Interrupted before anything was changed.");
    const allowed = await writable(options, next, "keep");
    if (!allowed.ok) return allowed;
    const stat = await lstat(next);
    if (stat.isDirectory()) {
      const free = await holdsNothingProtected(options, next);
      if (!free.ok) return free;
      for await (const entry of await opendir(next)) waiting.push(join(next, entry.name));
    } else if (stat.isFile()) {
      bytes += stat.size;
      if (files.length >= MAX_FILES || bytes > MAX_BYTES) {
        return fail("too_large", `${path} holds too much to be undone afterwards; use the shell for it.`);
      }
      files.push({
        path: next,
        hash: await storeFile(options, next, stat.size),
        mode: stat.mode & 0o7777,
      });
    }
  }
  return { ok: true, value: files };
}

/**
 * Whoever renames or deletes a directory above a protected path replaces that path, also one that does not
 * exist yet: `.git` above `.git/hooks`.
 */
async function holdsNothingProtected(options: FilesOptions, directory: string): Promise<Result<null>> {
  const lower = directory.toLowerCase();
  for (const name of options.policy.protectedNames) {
    const parts = name.split("/").filter((part) => part !== "");
    for (let count = 1; count < parts.length; count++) {
      if (!lower.endsWith(`/${parts.slice(0, count).join("/").toLowerCase()}`)) continue;
      const allowed = await writable(options, join(directory, ...parts.slice(count)), "keep");
      if (!allowed.ok) return allowed;
    }
  }
  return { ok: true, value: null };
}

async function storeFile(options: FilesOptions, realPath: string, size: number): Promise<string | null> {
  if (options.dryRun || size > MAX_KEPT_BYTES) return null;
  const loaded = await load(realPath, realPath);
  return loaded.ok && loaded.value?.bytes ? options.storeBytes(loaded.value.bytes) : null;
}

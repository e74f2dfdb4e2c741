import { lstat, rename } from "node:fs/promises";
import { basename } from "node:path";
import type { Result } from "../../protocol/ports.ts";
import { errorCode } from "../../shared/error.ts";
import { isWithin } from "../../shared/fs.ts";
import { sha256 } from "../../shared/hash.ts";
import { change } from "./change.ts";
import { type FilesOptions, writable } from "./context.ts";
import { fail, failFrom } from "./errors.ts";
import { holdParent } from "./handles.ts";
import { load } from "./load.ts";
import { holdsRoot, remove } from "./remove.ts";
import { type StoredFile, storeTree } from "./tree.ts";

type Moved = Result<{ from: string; to: string }>;

/** Moves or renames a file, link or directory. Never onto something that exists. */
export async function move(options: FilesOptions, from: string, to: string): Promise<Moved> {
  const source = await writable(options, from, "keep");
  if (!source.ok) return source;
  const target = await writable(options, to, "keep");
  if (!target.ok) return target;
  if (holdsRoot(options, source.value)) return fail("protected", `${from} is or holds the workspace itself.`);
  if (isWithin(source.value, target.value)) return fail("invalid", `${from} cannot be moved into itself.`);
  try {
    await lstat(source.value);
    if (await isThere(target.value)) {
      return fail("invalid", `${to} exists already. Name the full new path, or delete it first.`);
    }
    const files = await storeTree(options, source.value, from);
    if (!files.ok) return files;
    for (const file of files.value) {
      const lands = await writable(options, landing(file, source.value, target.value), "keep");
      if (!lands.ok) return lands;
    }
    if (options.dryRun) return { ok: true, value: { from, to } };
    await renameHeld(source.value, target.value);
    await report(options, files.value, source.value, target.value);
    return { ok: true, value: { from, to } };
  } catch (error) {
    if (errorCode(error) === "EXDEV")
      return copyAcross(options, { from, to, source: source.value, target: target.value });
    return failFrom(error, from);
  }
}

const landing = (file: StoredFile, source: string, target: string): string =>
  target + file.path.slice(source.length);

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function renameHeld(source: string, target: string): Promise<void> {
  const [here, there] = [await holdParent(source, false), await holdParent(target, true)];
  try {
    await rename(here.at(basename(source)), there.at(basename(target)));
  } finally {
    await Promise.all([here.close(), there.close()]);
  }
}

async function report(
  options: FilesOptions,
  files: StoredFile[],
  source: string,
  target: string,
): Promise<void> {
  for (const file of files) {
    const path = landing(file, source, target);
    const seen = options.seen.get(file.path);
    options.seen.delete(file.path);
    if (seen !== undefined) options.seen.set(path, seen);
    await options.onChange({ path: file.path, before: file.hash, after: null, mode: file.mode });
    await options.onChange({ path, before: null, after: file.hash, mode: file.mode });
  }
}

/** Between file systems a file is written anew and the old one deleted. */
async function copyAcross(
  options: FilesOptions,
  paths: { from: string; to: string; source: string; target: string },
): Promise<Moved> {
  const { from, to, source, target } = paths;
  const loaded = await load(source, from);
  if (!loaded.ok)
    return fail("invalid", `${from} lies on another file system than ${to}; use the shell for it.`);
  const bytes = loaded.value?.bytes;
  if (!loaded.value || !bytes)
    return fail("too_large", `${from} is too large to move to another file system.`);
  const seen = options.seen.get(source);
  const written = await change(options, {
    path: to,
    realPath: target,
    before: null,
    after: bytes,
    newMode: loaded.value.mode,
  });
  if (!written.ok) return written;
  if (seen !== sha256(bytes)) options.seen.delete(target);
  const gone = await remove(options, from);
  return gone.ok ? { ok: true, value: { from, to } } : gone;
}

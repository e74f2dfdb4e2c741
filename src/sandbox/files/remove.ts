import { lstat, opendir, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Result } from "../../protocol/ports.ts";
import { isWithin } from "../../shared/fs.ts";
import { type FilesOptions, writable } from "./context.ts";
import { fail, failFrom } from "./errors.ts";
import { type HeldDirectory, holdDirectory, holdParent } from "./handles.ts";
import { storeTree } from "./tree.ts";

/** Deletes a file, a link (not its target) or a directory with all it holds; files are stored for undo. */
export async function remove(
  options: FilesOptions,
  path: string,
): Promise<Result<{ path: string; files: number }>> {
  const real = await writable(options, path, "keep");
  if (!real.ok) return real;
  if (holdsRoot(options, real.value)) return fail("protected", `${path} is or holds the workspace itself.`);
  try {
    await lstat(real.value);
    const stored = await storeTree(options, real.value, path);
    if (!stored.ok) return stored;
    if (options.dryRun) return { ok: true, value: { path, files: stored.value.length } };
    const parent = await holdParent(real.value, false);
    try {
      await removeEntry(parent, basename(real.value));
    } finally {
      await parent.close();
    }
    for (const file of stored.value) {
      options.seen.delete(file.path);
      await options.onChange({ path: file.path, before: file.hash, after: null, mode: file.mode });
    }
    return { ok: true, value: { path, files: stored.value.length } };
  } catch (error) {
    return failFrom(error, path);
  }
}

/** True when a path is a root, the private temp directory, or above one. */
export function holdsRoot(options: FilesOptions, realPath: string): boolean {
  const { policy, place } = options;
  return [...policy.writableRoots, policy.tmpDir, place.cwd].some((root) => isWithin(realPath, root));
}

/** Removes an entry of a held directory, directories from the inside out, never through a link. */
async function removeEntry(parent: HeldDirectory, name: string): Promise<void> {
  if (!(await lstat(parent.at(name))).isDirectory()) return unlink(parent.at(name));
  const inside = await holdDirectory(join(parent.path, name));
  try {
    const names: string[] = [];
    for await (const entry of await opendir(inside.at("."))) names.push(entry.name);
    for (const child of names) await removeEntry(inside, child);
  } finally {
    await inside.close();
  }
  await rmdir(parent.at(name));
}

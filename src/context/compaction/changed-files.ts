import type { FileChangeRow } from "../../protocol/event.ts";
import type { ChangedFile } from "../../protocol/message.ts";

/** Files listed at most, those changed last. */
const MAX_FILES = 100;

/**
 * What was done to each file, in few words, the one changed last at the end. `before` are the files that an earlier
 * compaction listed (of the session that this one was forked from, say); the rows win.
 */
export function changedFiles(
  before: readonly ChangedFile[],
  rows: readonly FileChangeRow[],
  cwd: string,
): ChangedFile[] {
  const files = new Map(before.map(({ path, what }) => [path, what]));
  const changes = new Map<string, FileChangeRow[]>();
  for (const row of rows) {
    const path = shortened(row.path, cwd);
    const ofFile = changes.get(path) ?? [];
    ofFile.push(row);
    changes.set(path, ofFile);
    files.delete(path);
    files.set(path, "");
  }
  for (const [path, ofFile] of changes) files.set(path, described(ofFile));
  return [...files].map(([path, what]) => ({ path, what })).slice(-MAX_FILES);
}

const shortened = (path: string, cwd: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;

function described(changes: readonly FileChangeRow[]): string {
  const existed = changes[0]?.before !== null;
  const exists = changes.at(-1)?.after !== null;
  if (!exists) return existed ? "deleted" : "created and deleted again";
  const times = changes.length === 1 ? "" : ` (${changes.length} changes)`;
  return `${existed ? "edited" : "created"}${times}`;
}

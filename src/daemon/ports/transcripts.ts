import { mkdir, open, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensurePrivateDirectory } from "../../shared/private-directory.ts";

/** Conversations as files, written before a compaction leaves parts of them out. */
export type Transcripts = {
  /** Writes the lines into a new file that only the user can read; gives its path. Rejects when it cannot. */
  save(name: string, lines: Iterable<string>): Promise<string>;
  /** Removes a file of this folder; nothing happens when it is gone. */
  remove(path: string): Promise<void>;
};

export function createTranscripts(folder: string): Transcripts {
  const remove = (path: string): Promise<void> => rm(join(folder, basename(path)), { force: true });
  return {
    remove,
    async save(name, lines) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      ensurePrivateDirectory(folder);
      const path = join(folder, name);
      const file = await open(path, "wx", 0o600);
      try {
        for (const line of lines) await file.writeFile(line);
        await file.datasync();
      } catch (error) {
        await remove(path);
        throw error;
      } finally {
        await file.close();
      }
      return path;
    },
  };
}

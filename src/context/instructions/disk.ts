import { constants } from "node:fs";
import { access, type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../shared/error.ts";
import { ownedByOther } from "../../shared/private-directory.ts";

/** The beginning of an instruction file. */
export type FileHead = {
  type: "file";
  /** All links followed. */
  realPath: string;
  /** At most the bytes asked for, ending with a whole character; without a byte order mark. */
  text: string;
  totalBytes: number;
  /** It belongs to another user than the one who runs this. */
  foreign: boolean;
};

export type FileReading = FileHead | { type: "absent" } | { type: "fault"; reason: string };

/** What the loader needs of a disk. */
export type InstructionDisk = {
  read(path: string, maxBytes: number): Promise<FileReading>;
  exists(path: string): Promise<boolean>;
  /** Markdown files below a folder, sorted; empty when there is none. */
  markdownBelow(folder: string): Promise<string[]>;
};

const MAX_RULE_FILES = 50;
const MAX_RULE_DEPTH = 3;

/** The machine's disk. Reads regular files only: a pipe or device under such a name is never waited for. */
export const instructionDisk: InstructionDisk = {
  async read(path, maxBytes) {
    let file: FileHandle | null = null;
    try {
      file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return await readHead(file, path, maxBytes);
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
      return { type: "fault", reason: `cannot be read (${code ?? "unknown error"})` };
    } finally {
      await file?.close();
    }
  },
  async exists(path) {
    return access(path).then(
      () => true,
      () => false,
    );
  },
  async markdownBelow(folder) {
    const found: string[] = [];
    await collectMarkdown(folder, MAX_RULE_DEPTH, found);
    return found.slice(0, MAX_RULE_FILES);
  },
};

async function readHead(file: FileHandle, path: string, maxBytes: number): Promise<FileReading> {
  const info = await file.stat();
  if (!info.isFile()) return { type: "fault", reason: "is not a regular file" };
  const buffer = Buffer.alloc(Math.min(maxBytes, info.size));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  const text = decode(buffer.subarray(0, length));
  if (text.includes("\0")) return { type: "fault", reason: "is not text" };
  const realPath = await realpath(path);
  return { type: "file", realPath, text, totalBytes: info.size, foreign: ownedByOther(info) };
}

/** A character that was cut in two at the end is left out. */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? "utf-16le" : "utf-8").decode(bytes, { stream: true });
}

async function collectMarkdown(folder: string, depth: number, found: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (found.length >= MAX_RULE_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 1) await collectMarkdown(path, depth - 1, found);
    else if (entry.name.endsWith(".md") && !entry.isDirectory()) found.push(path);
  }
}

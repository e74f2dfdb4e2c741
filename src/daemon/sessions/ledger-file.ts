import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../protocol/ids.ts";
import { createReadLedger, type ReadLedger } from "../../sandbox/files/ledger.ts";
import { errorCode } from "../../shared/error.ts";

/**
 * What a session has read, kept in a file beside the store from turn to turn, so that a model need not read
 * again what it knows because a daemon ended. A lost or damaged file is an empty ledger: the model then reads
 * a file again before it edits it, and nothing else happens.
 */
export function readLedgerFile(folder: string, id: SessionId): ReadLedger {
  try {
    const stored: unknown = JSON.parse(readFileSync(pathOf(folder, id), "utf8"));
    return createReadLedger(isHashes(stored) ? stored : {});
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return createReadLedger();
    throw error;
  }
}

/** Replaces the file at once. Throws the Node error of a full or broken disk. */
export function writeLedgerFile(folder: string, id: SessionId, ledger: ReadLedger): void {
  const text = JSON.stringify(ledger);
  if (text === "{}") return removeLedgerFile(folder, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${pathOf(folder, id)}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, pathOf(folder, id));
}

export function removeLedgerFile(folder: string, id: SessionId): void {
  rmSync(pathOf(folder, id), { force: true });
}

const pathOf = (folder: string, id: SessionId): string => join(folder, `${id}.json`);

function isHashes(value: unknown): value is { [realPath: string]: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((hash) => typeof hash === "string");
}

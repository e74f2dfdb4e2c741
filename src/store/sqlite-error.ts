import { AppError, errorCode, errorMessage } from "../shared/error.ts";

/** Primary result codes of SQLite that we tell apart. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** The WAL's index file could not grow: a full disk, too. */
const IOERR_SHMSIZE = 4874;

/**
 * An error of SQLite or of the file system as the AppError of the Store port, with the path and what to do.
 * An AppError passes unchanged.
 */
export function toStoreError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const cause = { cause: error };
  const full = sqliteCode(error);
  const primary = full === null ? null : full & 0xff;
  if (primary === FULL || full === IOERR_SHMSIZE || isNoSpace(error)) {
    return new AppError(
      "no_space",
      `no space is left on the disk of ${path}; free some and go on: all that was confirmed is stored`,
      cause,
    );
  }
  if (primary === CORRUPT || primary === NOTADB) {
    return new AppError(
      "corrupt",
      `the database ${path} is damaged (${errorMessage(error)}). It is left as it is: move it away together with its -wal file to begin anew, put back a copy (${path}.bak-*), or try \`sqlite3 ${path} .recover\``,
      cause,
    );
  }
  return new AppError("io", `${hint(primary)}: ${path}: ${errorMessage(error)}`, cause);
}

function hint(primary: number | null): string {
  switch (primary) {
    case BUSY:
    case LOCKED:
      return "another program keeps the database locked; end it and try again";
    case READONLY:
    case CANTOPEN:
      return "the database cannot be written; check the owner and rights of the file and its folder";
    case IOERR:
      return "the disk failed while the database was read or written";
    default:
      return "the store failed";
  }
}

/** SQLite's extended result code, when the error came from it. */
function sqliteCode(error: unknown): number | null {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode : null;
}

function isNoSpace(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

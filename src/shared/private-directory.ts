import { chmodSync, lstatSync, mkdirSync, type Stats } from "node:fs";
import { AppError, errorCode, errorMessage } from "./error.ts";

/**
 * Makes a folder that only this user can enter (0700), or tightens one of ours. AppError `unsafe_directory`
 * when the path is a link, no folder, or another user's, or cannot be made.
 */
export function ensurePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") {
      throw new AppError("unsafe_directory", `cannot make the folder ${path}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
  const found = checkPrivateDirectory(path);
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** AppError `unsafe_directory` when the path is a link, no folder, or another user's; ENOENT when absent. */
export function checkPrivateDirectory(path: string): Stats {
  const found = lstatSync(path);
  const fault = found.isSymbolicLink()
    ? "is a link"
    : !found.isDirectory()
      ? "is not a folder"
      : ownedByOther(found)
        ? `belongs to another user (uid ${found.uid})`
        : null;
  if (fault !== null) {
    throw new AppError(
      "unsafe_directory",
      `${path} ${fault}; remove it, or set XDG_RUNTIME_DIR and XDG_STATE_HOME to folders of yours`,
    );
  }
  return found;
}

/** True when the file is not of the user that runs this process. */
export function ownedByOther(found: Stats): boolean {
  const uid = process.geteuid?.();
  return uid !== undefined && found.uid !== uid;
}

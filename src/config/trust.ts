import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, errorCode, errorMessage } from "../shared/error.ts";
import type { LathePaths } from "./paths.ts";

/** Which folders are trusted: by real path, in the state folder, never by anything inside the folder. */
export type Trust = {
  /** True for a trusted folder and everything below it. */
  isTrusted(path: string): boolean;
  /** Gives the real path that was entered. AppError `bad_input` when the folder does not exist. */
  set(path: string, trusted: boolean): Promise<string>;
};

export function createTrust(paths: LathePaths): Trust {
  return {
    isTrusted(path) {
      const real = realOrNull(path);
      if (real === null) return false;
      return readTrusted(paths.trustFile).some((folder) => real === folder || real.startsWith(`${folder}/`));
    },
    async set(path, trusted) {
      const real = realOrNull(path);
      if (real === null) throw new AppError("bad_input", `${path} does not exist, so it cannot be trusted`);
      if (trusted && real === "/")
        throw new AppError("bad_input", "trusting / would trust every folder there is");
      const others = readTrusted(paths.trustFile).filter((folder) => folder !== real);
      writeTrusted(paths.trustFile, trusted ? [...others, real] : others);
      return real;
    },
  };
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function readTrusted(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw new AppError("config", `${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((item): item is string => typeof item === "string")) return value;
  } catch {}
  throw new AppError(
    "config",
    `${file} is not a JSON list of folders; correct or remove it (removing it trusts nothing)`,
  );
}

function writeTrusted(file: string, folders: string[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(folders.sort(), null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Covers } from "./mounts.ts";

/** Makes the two empty files that are mounted over others. */
export function makeCovers(folder: string): Covers {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const make = (name: string, mode: number): string => {
    const path = join(folder, name);
    chmodIfThere(path, 0o600);
    closeSync(openSync(path, "w", 0o600));
    chmodSync(path, mode);
    return path;
  };
  return { closed: make("closed", 0o000), empty: make("empty", 0o444) };
}

function chmodIfThere(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // Made a moment later.
  }
}

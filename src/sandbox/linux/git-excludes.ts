import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Wall } from "../wall/wall.ts";

const MAX_BYTES = 1_000_000;

/**
 * What git inside does not list as untracked: the user's own ignore file, which this one replaces, the names
 * held by placeholders, and secrets that it could not read (`git add -A` would fail on them).
 */
export function gitExcludes(wall: Wall, home: string, configured: string | null): Uint8Array {
  const names = new Set(
    [...wall.placeholders, ...wall.hiddenFiles, ...wall.emptiedFiles].map((path) => basename(path)),
  );
  const own = textOf(configured ?? join(home, ".config/git/ignore"));
  return Buffer.from(`${own}\n${[...names].map(escaped).join("\n")}\n`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(0, MAX_BYTES);
  } catch {
    return "";
  }
}

const escaped = (name: string): string => name.replace(/[\\*?[\]#! ]/g, "\\$&");

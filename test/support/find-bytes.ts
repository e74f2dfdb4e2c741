import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files below a folder that hold these bytes. */
export function holdersOf(folder: string, text: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

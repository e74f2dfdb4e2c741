import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const KEPT = 1000;
const MAX_PROMPT = 20_000;

/** Prompts of earlier screens, oldest first; none when the file cannot be read. */
export function readHistory(file: string): string[] {
  try {
    const all = readFileSync(file, "utf8").trimEnd().split("\n");
    const lines = all.slice(-KEPT);
    if (all.length > 2 * KEPT) writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    return lines.flatMap((line) => {
      try {
        const text: unknown = line === "" ? null : JSON.parse(line);
        return typeof text === "string" ? [text] : [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** Adds one prompt; long ones are not kept, and a full disk does not stop anybody from working. */
export function appendHistory(file: string, text: string): void {
  if (text.length > MAX_PROMPT) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch {}
}

import { sliceWhole } from "../../shared/text.ts";
import { estimateTokens } from "../estimate.ts";

/** Tokens that USER.md may take of every request. */
export const USER_MEMORY_TOKENS = 800;

/** USER.md within its budget: whole lines from the top, and a note when the rest was left out. */
export function userSection(text: string): string {
  const kept = withinBudget(text.trim());
  const note = `[cut: USER.md is over its budget of ${USER_MEMORY_TOKENS} tokens]`;
  return `# The user\n${kept.length < text.trim().length ? `${kept}\n${note}` : kept}`;
}

function withinBudget(text: string): string {
  if (estimateTokens(text) <= USER_MEMORY_TOKENS) return text;
  const lines = text.split("\n");
  let left = USER_MEMORY_TOKENS;
  let count = 0;
  for (const line of lines) {
    left -= estimateTokens(`${line}\n`);
    if (left < 0) break;
    count += 1;
  }
  if (count > 0) return lines.slice(0, count).join("\n");
  return longestStart(lines[0] ?? "");
}

/** The first line alone is too long: as much of it as fits. */
function longestStart(line: string): string {
  let low = 0;
  let high = Math.min(line.length, USER_MEMORY_TOKENS * 20);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(line.slice(0, middle)) <= USER_MEMORY_TOKENS) low = middle;
    else high = middle - 1;
  }
  return sliceWhole(line, 0, low);
}

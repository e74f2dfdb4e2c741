import { sha256 } from "../../shared/hash.ts";

/** The signature of a thinking block: names the model, so that the strict check can tell a foreign one. */
export function thinkingSeal(model: string, text: string): string {
  return `seal:${model}:${sha256(text).slice(0, 16)}`;
}

/** What is wrong with a seal that came back, or null. `text` null: the text is not known (redacted). */
export function sealProblem(seal: unknown, model: string, text: string | null): string | null {
  if (typeof seal !== "string" || seal === "") return "thinking without its signature";
  if (!seal.startsWith("seal:")) return null; // the script's own
  if (!seal.startsWith(`seal:${model}:`)) return `thinking of another model (${seal}) sent to ${model}`;
  return text !== null && seal !== thinkingSeal(model, text)
    ? "the text of a thinking block was changed"
    : null;
}

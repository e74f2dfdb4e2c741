import type { KeptPrompt, Message } from "../../protocol/message.ts";
import { estimateTokens } from "../estimate.ts";
import { compactedBy } from "./shown-history.ts";

/** Lines that read as rules: they are kept where a whole prompt is too long. */
const RULE =
  /\b(?:never|always|do not|don't|dont|must|mustn't|shall|only|avoid|keep|make sure|ensure|required?|prefer|forbidden|not allowed|without|instead of|no longer|don’t)\b/i;
const MAX_RULE_CHARS = 1000;
/** Prompts of which only the id is kept. */
const MAX_BARE = 100;

/** The prompts that a compaction must keep: what earlier ones kept, then those among the dropped messages. */
export function promptsOf(dropped: readonly Message[]): KeptPrompt[] {
  return dropped.flatMap((message) => {
    const before = compactedBy(message);
    if (before) return before.prompts;
    const text = promptText(message);
    return text === null ? [] : [{ messageId: message.id, text, whole: true }];
  });
}

/** The user's own words in a message; null when it is no prompt of the user. */
export function promptText(message: Message): string | null {
  if (message.kind !== "prompt" || message.origin !== "user") return null;
  const parts = message.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "image" ? [`[image${block.name ? ` ${block.name}` : ""}]`] : [];
  });
  return parts.length === 0 ? null : parts.join("\n");
}

/**
 * Fits prompts into `budget` tokens, verbatim: the first and the last always whole, of the others the newest first;
 * what does not fit keeps its rules, in as many tokens again, and at last only its id.
 */
export function fitPrompts(prompts: readonly KeptPrompt[], budget: number): KeptPrompt[] {
  const last = prompts.length - 1;
  let room = budget;
  let ruleRoom = budget;
  const fitted = prompts.toReversed().map((prompt, back) => {
    const index = last - back;
    const tokens = estimateTokens(prompt.text);
    if (index === 0 || index === last || tokens <= room) {
      room -= tokens;
      return prompt;
    }
    const text = rulesIn(prompt.text);
    const cost = estimateTokens(text);
    if (cost > ruleRoom) return { ...prompt, text: "", whole: false };
    ruleRoom -= cost;
    return { ...prompt, text, whole: false };
  });
  return withoutOldBare(fitted.toReversed());
}

function rulesIn(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => RULE.test(line) && line.length <= MAX_RULE_CHARS).join("\n");
}

function withoutOldBare(prompts: readonly KeptPrompt[]): KeptPrompt[] {
  let spare = prompts.filter((prompt) => prompt.text === "").length - MAX_BARE;
  return prompts.filter((prompt) => prompt.text !== "" || spare-- <= 0);
}

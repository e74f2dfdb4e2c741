import { wellFormed } from "../../shared/text.ts";

/**
 * A reminder as the model reads it. What could end the tag early inside (a file's content, say) is broken up,
 * so that nothing quoted in a reminder can pass for something outside of it.
 */
export function reminderText(text: string): string {
  const inner = wellFormed(text.trim()).replace(/<(\/?)(reminder\b)/gi, "<$1 $2");
  return `<reminder>\n${inner}\n</reminder>`;
}

import type { Message } from "../../protocol/message.ts";

/** `transcript_<unix seconds>_<8 characters>.jsonl`: the id's end keeps two of one second apart. */
export function transcriptName(now: number, freshId: string): string {
  return `transcript_${Math.floor(now / 1000)}_${freshId.replaceAll("-", "").slice(-8)}.jsonl`;
}

/** One message a line. */
export function* transcriptLines(messages: readonly Message[]): Generator<string> {
  for (const message of messages) yield `${JSON.stringify(message)}\n`;
}

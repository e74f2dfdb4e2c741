/**
 * The short way for the one event that comes twenty thousand times. Services send the same bytes around each
 * piece of text; once an event has been read in full and the place of its text is certain, the next one with
 * the same bytes around a text without quotes, escapes and control characters can only differ in that text.
 */
export type DeltaTemplate = {
  /** If an event that fits begins at `at`, hands its text on and gives the place behind it; else -1. */
  skip(buffer: string, at: number): number;
  /**
   * To be told of every event that was read in full: its frame, blank line included, where that is at hand, and
   * the text it added, null if it did anything else.
   */
  learn(frame: string | null, text: string | null): void;
};

/** A service that changes more than the text each time (a number, say) is no longer learnt from. */
const MAX_MISSES = 16;

export function createDeltaTemplate(grow: (text: string) => void): DeltaTemplate {
  let head = "";
  let tail = "";
  let misses = 0;
  return {
    skip(buffer, at) {
      if (head === "" || !buffer.startsWith(head, at)) return -1;
      const from = at + head.length;
      const to = buffer.indexOf('"', from);
      if (to < 0 || !buffer.startsWith(tail, to) || !isPlain(buffer, from, to)) return -1;
      misses = 0;
      grow(buffer.slice(from, to));
      return to + tail.length;
    },
    learn(frame, text) {
      head = "";
      if (frame === null || text === null || text === "" || misses > MAX_MISSES) return;
      misses += 1;
      const quoted = `"${text}"`;
      const at = frame.indexOf(quoted);
      // The text must stand there once: else another field could be taken for it.
      if (at < 0 || frame.indexOf(quoted, at + 1) >= 0 || !isPlain(text, 0, text.length)) return;
      head = frame.slice(0, at + 1);
      tail = frame.slice(at + quoted.length - 1);
    },
  };
}

/** Does the text mean itself between JSON's quotes? A loop, since a regular expression costs more on short texts. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

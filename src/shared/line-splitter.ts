/** Cuts a byte stream into lines of UTF-8 text. */
export type LineSplitter = {
  /** Takes the next bytes; calls back once per complete line, in order. */
  push(chunk: Uint8Array): void;
};

export type LineEvents = {
  /** A line without its line end; blank lines are left out. */
  line(text: string): void;
  /** A line that could not be taken: it is skipped up to its end, and reading goes on after it. */
  unreadable(reason: "too_long" | "not_utf8"): void;
};

const NEWLINE = 0x0a;

/** Holds at most `maxBytes` of an unfinished line; a longer one is reported once and skipped. */
export function createLineSplitter(maxBytes: number, events: LineEvents): LineSplitter {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let size = 0;
  let skipping = false;

  const hold = (part: Uint8Array): void => {
    if (skipping) return;
    if (size + part.length > maxBytes) {
      parts = [];
      size = 0;
      skipping = true;
      events.unreadable("too_long");
    } else if (part.length > 0) {
      parts.push(part);
      size += part.length;
    }
  };
  const finish = (): void => {
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    parts = [];
    size = 0;
    if (skipping) {
      skipping = false;
      return;
    }
    const text = decode(decoder, bytes);
    if (text === null) events.unreadable("not_utf8");
    else if (text.trim() !== "") events.line(text);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        hold(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      hold(chunk.subarray(start));
    },
  };
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

import { StringDecoder } from "node:string_decoder";

/**
 * Takes one event: its name (empty if none was given), its data lines joined by newlines, and its text as it
 * stood in the stream, blank line included, if it came in one piece.
 */
export type SseSink = (name: string, data: string, frame: string | null) => void;

export type SseParser = {
  /** Bytes as they come; characters and lines may be split anywhere. */
  feed(bytes: Buffer): void;
  /** The stream is over: an event whose blank line is missing is delivered as well. */
  end(): void;
};

/**
 * Server-sent events as the standard has them (BOM, comments, all three line ends), but for `id` and `retry`,
 * which no model API uses. Hand-written for `skip`: asked at the start of each event, it may take the event
 * itself and give the place behind it (else -1).
 */
export function createSseParser(
  sink: SseSink,
  skip: (buffer: string, at: number) => number = () => -1,
): SseParser {
  const decoder = new StringDecoder("utf8");
  const clean = createCleaner();
  let rest = "";
  let name = "";
  let data: string | null = null;

  /** True at an event's end. */
  const line = (text: string, from: number, to: number): boolean => {
    if (from === to) return true;
    if (text.startsWith("data:", from)) {
      const value = text.slice(text[from + 5] === " " ? from + 6 : from + 5, to);
      data = data === null ? value : `${data}\n${value}`;
    } else if (text.startsWith("event:", from)) {
      name = text.slice(text[from + 6] === " " ? from + 7 : from + 6, to);
    }
    return false;
  };
  const deliver = (frame: string | null): void => {
    const [eventName, eventData] = [name, data];
    name = "";
    data = null;
    if (eventData !== null) sink(eventName, eventData, frame);
  };

  const take = (fresh: string): void => {
    // Only the fresh part is searched: a long line in many pieces stays linear.
    let end = fresh.indexOf("\n");
    if (end < 0) {
      rest += fresh;
      return;
    }
    const head = rest + fresh.slice(0, end);
    if (line(head, 0, head.length)) deliver(null);
    let start = end + 1;
    let whole = name === "" && data === null ? start : -1;
    for (;;) {
      if (whole === start) {
        const behind = skip(fresh, start);
        if (behind > start) {
          start = whole = behind;
          continue;
        }
      }
      end = fresh.indexOf("\n", start);
      if (end < 0) break;
      const over = line(fresh, start, end);
      start = end + 1;
      if (!over) continue;
      deliver(whole < 0 ? null : fresh.slice(whole, start));
      whole = start;
    }
    rest = fresh.slice(start);
  };

  return {
    feed: (bytes) => take(clean(decoder.write(bytes))),
    end() {
      take(clean(decoder.end()));
      if (rest !== "") line(rest, 0, rest.length);
      rest = "";
      deliver(null);
    },
  };
}

/** Takes the BOM off and makes every line end a newline, also one that is split over two pieces. */
function createCleaner(): (text: string) => string {
  let first = true;
  let heldCr = false;
  return (text) => {
    let fresh = heldCr ? `\r${text}` : text;
    heldCr = false;
    if (first && fresh !== "") {
      first = false;
      if (fresh.charCodeAt(0) === 0xfeff) fresh = fresh.slice(1);
    }
    if (!fresh.includes("\r")) return fresh;
    heldCr = text !== "" && fresh.endsWith("\r");
    return (heldCr ? fresh.slice(0, -1) : fresh).replace(/\r\n?/g, "\n");
  };
}

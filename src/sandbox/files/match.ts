/** A span of the normalised text, end exclusive. */
export type Span = { start: number; end: number };

export type Matches =
  | { type: "found"; spans: Span[]; tolerant: boolean }
  | { type: "overlapping"; starts: number[] }
  | { type: "none" };

const MAX_MATCHES = 100_000;

/**
 * Finds a text: exactly, or, when it is nowhere, as whole lines that differ in nothing but white space at
 * their ends and only when there is one such place.
 */
export function findMatches(text: string, needle: string): Matches {
  const starts: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const previous = starts.at(-1);
    starts.push(at);
    if (previous !== undefined && at < previous + needle.length) return { type: "overlapping", starts };
    if (starts.length >= MAX_MATCHES) break;
  }
  if (starts.length > 0) {
    const spans = starts.map((start) => ({ start, end: start + needle.length }));
    return { type: "found", spans, tolerant: false };
  }
  const span = findByLines(text, needle);
  return span ? { type: "found", spans: [span], tolerant: true } : { type: "none" };
}

// Not trimEnd: in the units of UTF-8 bytes it would take 0xA0 and 0x85, parts of letters, for white space.
const trimLine = (line: string): string => line.replace(/[ \t\r]+$/, "");

function findByLines(text: string, needle: string): Span | null {
  const wanted = needle.split("\n").map(trimLine);
  const wholeLast = wanted.length > 1 && wanted.at(-1) === "";
  if (wholeLast) wanted.pop();
  if (wanted.every((line) => line === "")) return null;
  const lines = text.split("\n");
  let found: Span | null = null;
  let start = 0;
  for (let index = 0; index + wanted.length <= lines.length; index++) {
    if (wanted.every((line, offset) => trimLine(lines[index + offset] as string) === line)) {
      if (found) return null;
      const body = lines.slice(index, index + wanted.length).join("\n").length;
      const hasEnd = index + wanted.length < lines.length;
      if (hasEnd || !wholeLast) found = { start, end: start + body + (wholeLast ? 1 : 0) };
    }
    start += (lines[index] as string).length + 1;
  }
  return found;
}

/** The 1-based lines of ascending positions. */
export function linesAt(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let end = text.indexOf("\n");
  return positions.map((position) => {
    for (; end !== -1 && end < position; end = text.indexOf("\n", end + 1)) line += 1;
    return line;
  });
}

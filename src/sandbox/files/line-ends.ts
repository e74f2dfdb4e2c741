/** Units with every CRLF as one LF, and how to get back. */
export type Normalised = {
  text: string;
  /** Positions in `text` of the line ends that were CRLF, ascending. */
  crlf: number[];
};

export function normaliseEnds(units: string): Normalised {
  const crlf: number[] = [];
  if (!units.includes("\r\n")) return { text: units, crlf };
  const parts = units.split("\r\n");
  let length = 0;
  for (let index = 0; index < parts.length - 1; index++) {
    length += (parts[index] as string).length;
    crlf.push(length);
    length += 1;
  }
  return { text: parts.join("\n"), crlf };
}

/** Where the character at `position` of the normalised text begins in the original. */
export function originalPosition({ crlf }: Normalised, position: number): number {
  return position + countBelow(crlf, position);
}

/** The line ends of the original between two positions of the normalised text. */
export function endsBetween(file: Normalised, start: number, end: number): string[] {
  const found: string[] = [];
  for (let at = file.text.indexOf("\n", start); at !== -1 && at < end; at = file.text.indexOf("\n", at + 1)) {
    found.push(endAt(file, at));
  }
  return found;
}

/** The line end that new lines at this place should get: of the line there, else the one before, else LF. */
export function endAround(file: Normalised, start: number, end: number): string {
  const after = file.text.indexOf("\n", end);
  if (after !== -1) return endAt(file, after);
  const before = start > 0 ? file.text.lastIndexOf("\n", start - 1) : -1;
  return before === -1 ? "\n" : endAt(file, before);
}

/**
 * Gives the lines of a replacement the line ends of the span they replace: lines kept at its beginning and end
 * keep their own, the others take that of the line they stand for, else the nearest.
 */
export function withEnds(newText: string, oldText: string, oldEnds: string[], around: string): string {
  const before = oldText.split("\n");
  const after = newText.split("\n");
  const last = after.length - 1;
  const shared = Math.min(before.length, after.length) - 1;
  let suffix = 0;
  while (suffix < shared && before[before.length - 1 - suffix] === after[last - suffix]) suffix += 1;
  return after
    .map((line, index) => {
      if (index === last) return line;
      const fromEnd = last - index;
      const twin = fromEnd <= suffix ? oldEnds.length - fromEnd : index;
      return line + (oldEnds[twin] ?? oldEnds.at(-1) ?? around);
    })
    .join("");
}

function endAt(file: Normalised, position: number): string {
  const at = countBelow(file.crlf, position);
  return file.crlf[at] === position ? "\r\n" : "\n";
}

function countBelow(sorted: number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

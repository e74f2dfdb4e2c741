/**
 * How a text file is coded. Editing works on units: one character per byte for UTF-8 (so that bytes that are
 * no valid UTF-8 survive untouched), one per code unit for UTF-16.
 */
export type Encoding = { name: "utf-8" | "utf-16le" | "utf-16be"; bomBytes: number };

/** The encoding by byte order mark; no mark means UTF-8; `null` for UTF-32, which is not supported. */
export function detectEncoding(head: Uint8Array): Encoding | null {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { name: "utf-8", bomBytes: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return null;
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return null;
  if (a === 0xff && b === 0xfe) return { name: "utf-16le", bomBytes: 2 };
  if (a === 0xfe && b === 0xff) return { name: "utf-16be", bomBytes: 2 };
  return { name: "utf-8", bomBytes: 0 };
}

/** True when bytes without a UTF-16 mark hold a NUL: no text. */
export function looksBinary(head: Uint8Array, encoding: Encoding): boolean {
  return encoding.name === "utf-8" && head.includes(0);
}

/** The units of a file's bytes behind the mark. */
export function toUnits(bytes: Buffer, encoding: Encoding): string {
  const body = bytes.subarray(encoding.bomBytes);
  if (encoding.name === "utf-8") return body.toString("latin1");
  if (encoding.name === "utf-16le") return body.toString("utf16le");
  return swapped(body).toString("utf16le");
}

/** Units of text to search for or to put in. */
export function unitsOf(text: string, encoding: Encoding): string {
  return encoding.name === "utf-8" ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Readable text of units. */
export function textOf(units: string, encoding: Encoding): string {
  return encoding.name === "utf-8" ? Buffer.from(units, "latin1").toString("utf8") : units.toWellFormed();
}

/** The bytes of a file with these units: the mark of `original` first, an odd last byte of UTF-16 kept. */
export function fromUnits(units: string, encoding: Encoding, original: Buffer): Buffer {
  const mark = original.subarray(0, encoding.bomBytes);
  if (encoding.name === "utf-8") return Buffer.concat([mark, Buffer.from(units, "latin1")]);
  const body = Buffer.from(units, "utf16le");
  const odd = original.length % 2 === 1 ? original.subarray(original.length - 1) : Buffer.alloc(0);
  return Buffer.concat([mark, encoding.name === "utf-16le" ? body : swapped(body), odd]);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

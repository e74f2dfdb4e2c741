/** Size of an image, or why it cannot be used. */
export type Reading = { width: number; height: number; problem?: string };

const CUT = "it is cut off";

/** Size from the frame header; a problem when no scan follows or the end mark is missing. */
export function readJpeg(bytes: Buffer): Reading {
  let size: Reading | null = null;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return { ...(size ?? NO_SIZE), problem: "a part of it is damaged" };
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at += 1; // fill byte
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2; // marks without a body
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (at + 2 + length > bytes.length || length < 2) return { ...(size ?? NO_SIZE), problem: CUT };
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && length >= 8) {
      size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === 0xda) {
      if (!size) return { ...NO_SIZE, problem: "it has no frame header" };
      const ended = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) >= at + 2 + length;
      return ended ? positive(size) : { ...size, problem: CUT };
    }
    at += 2 + length;
  }
  return { ...(size ?? NO_SIZE), problem: CUT };
}

/** Size of the screen; a problem when no whole picture is in the file. */
export function readGif(bytes: Buffer): Reading {
  if (bytes.length < 13) return { ...NO_SIZE, problem: CUT };
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let pictures = 0;
  let at = 13 + colourTable(bytes[10] as number);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) break;
    if (kind !== 0x21 && kind !== 0x2c) return { ...size, problem: "a part of it is damaged" };
    const blocks = kind === 0x21 ? at + 2 : at + 11 + colourTable(bytes[at + 9] ?? 0);
    const end = skipBlocks(bytes, blocks);
    if (end === null) return pictures > 0 ? positive(size) : { ...size, problem: CUT };
    if (kind === 0x2c) pictures += 1;
    at = end;
  }
  return pictures > 0 ? positive(size) : { ...size, problem: "it holds no picture" };
}

const colourTable = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function skipBlocks(bytes: Buffer, start: number): number | null {
  for (let at = start; at < bytes.length; ) {
    const length = bytes[at] as number;
    if (length === 0) return at + 1;
    at += 1 + length;
  }
  return null;
}

/** Size of the canvas; a problem when the file is shorter than it says or holds no picture. */
export function readWebp(bytes: Buffer): Reading {
  if (bytes.length < 20) return { ...NO_SIZE, problem: CUT };
  const end = 8 + bytes.readUInt32LE(4);
  let size: Reading | null = null;
  let pictures = 0;
  for (let at = 12; at + 8 <= Math.min(end, bytes.length); ) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (body.length < length) return { ...(size ?? NO_SIZE), problem: CUT };
    size ??= webpSize(type, body);
    if (type === "VP8 " || type === "VP8L" || type === "ANMF") pictures += 1;
    at += 8 + length + (length & 1);
  }
  if (!size || pictures === 0) return { ...(size ?? NO_SIZE), problem: "it holds no picture" };
  return end > bytes.length ? { ...size, problem: CUT } : positive(size);
}

function webpSize(type: string, body: Buffer): Reading | null {
  if (type === "VP8X" && body.length >= 10) {
    return { width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 };
  }
  if (type === "VP8L" && body.length >= 5 && body[0] === 0x2f) {
    const bits = body.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (type === "VP8 " && body.length >= 10 && body.readUIntBE(3, 3) === 0x9d012a) {
    return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff };
  }
  return null;
}

const NO_SIZE: Reading = { width: 0, height: 0 };
const positive = (size: Reading): Reading =>
  size.width > 0 && size.height > 0 ? size : { ...size, problem: "it has no pixels" };

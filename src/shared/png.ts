import { crc32, deflateSync, inflateSync } from "node:zlib";

/** A PNG whose chunks, checksums and pixel data were checked. */
export type PngImage = {
  width: number;
  height: number;
  depth: number;
  colour: number;
  interlaced: boolean;
  palette: Buffer | null;
  transparency: Buffer | null;
  /** Inflated scan lines, each with its filter byte. */
  raw: Buffer;
};

export type PngReading =
  | { ok: true; image: PngImage }
  | { ok: false; width: number; height: number; problem: string };

/** Inflated pixel data above this is refused, so that a small file cannot fill the memory. */
const MAX_RAW_BYTES = 64 * 1024 * 1024;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel by colour type: gray, RGB, palette, gray with alpha, RGBA. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const DEPTHS: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
/** Adam7: first column, first row, column step, row step of each pass. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, 8));
}

/** Reads the whole file: every checksum, the inflated length and each filter byte. Never throws. */
export function readPng(bytes: Uint8Array): PngReading {
  const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const { header } = chunks;
  if (!header) return { ok: false, width: 0, height: 0, problem: chunks.problem ?? "it has no header" };
  const { width, height, depth, colour } = header;
  const fail = (problem: string): PngReading => ({ ok: false, width, height, problem });
  if (chunks.problem) return fail(chunks.problem);
  if (width === 0 || height === 0) return fail("it has no pixels");
  if (!DEPTHS[colour]?.includes(depth))
    return fail(`colour type ${colour} with ${depth} bits does not exist`);
  if (header.interlace > 1) return fail(`interlace method ${header.interlace} does not exist`);
  if (colour === 3 && !chunks.palette) return fail("its palette is missing");
  const rows = scanLines(header);
  const expected = rows.reduce((sum, pass) => sum + pass.rows * pass.bytes, 0);
  if (expected > MAX_RAW_BYTES) return fail(`${width}x${height} pixels are too many to check`);
  let raw: Buffer;
  try {
    raw = inflateSync(Buffer.concat(chunks.data), { maxOutputLength: expected });
  } catch {
    return fail("its pixel data cannot be decompressed");
  }
  if (raw.length !== expected) return fail("its pixel data is incomplete");
  if (!filtersExist(raw, rows)) return fail("a scan line has an unknown filter");
  const { palette, transparency } = chunks;
  return {
    ok: true,
    image: { width, height, depth, colour, interlaced: header.interlace === 1, palette, transparency, raw },
  };
}

type Header = { width: number; height: number; depth: number; colour: number; interlace: number };
type Chunks = {
  header: Header | null;
  palette: Buffer | null;
  transparency: Buffer | null;
  data: Buffer[];
  problem: string | null;
};

function readChunks(bytes: Buffer): Chunks {
  const found: Chunks = { header: null, palette: null, transparency: null, data: [], problem: null };
  for (let at = 8; ; ) {
    if (at + 12 > bytes.length) return { ...found, problem: "it is cut off" };
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return { ...found, problem: `it is cut off in its ${printable(type)} part` };
    const body = bytes.subarray(at + 8, end);
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) {
      return { ...found, problem: `the checksum of its ${printable(type)} part is wrong` };
    }
    if (type === "IHDR" && length === 13) found.header = readHeader(body);
    else if (!found.header) return { ...found, problem: "it does not begin with a header" };
    else if (type === "PLTE") found.palette = body;
    else if (type === "tRNS") found.transparency = body;
    else if (type === "IDAT") found.data.push(body);
    else if (type === "IEND") {
      return found.data.length > 0 ? found : { ...found, problem: "it has no pixel data" };
    }
    at = end + 4;
  }
}

const printable = (type: string): string => (/^[A-Za-z]{4}$/.test(type) ? type : "unreadable");

function readHeader(body: Buffer): Header {
  return {
    width: body.readUInt32BE(0),
    height: body.readUInt32BE(4),
    depth: body.readUInt8(8),
    colour: body.readUInt8(9),
    interlace: body.readUInt8(12),
  };
}

type Pass = { rows: number; bytes: number };

function scanLines(header: Header): Pass[] {
  const { width, height, depth, colour } = header;
  const bytesOf = (columns: number): number => 1 + Math.ceil((columns * depth * (CHANNELS[colour] ?? 1)) / 8);
  if (header.interlace === 0) return [{ rows: height, bytes: bytesOf(width) }];
  return PASSES.flatMap(([left, top, stepX, stepY]) => {
    const columns = Math.ceil((width - left) / stepX);
    const rows = Math.ceil((height - top) / stepY);
    return columns > 0 && rows > 0 ? [{ rows, bytes: bytesOf(columns) }] : [];
  });
}

function filtersExist(raw: Buffer, passes: Pass[]): boolean {
  let at = 0;
  for (const { rows, bytes } of passes) {
    for (let row = 0; row < rows; row++, at += bytes) if ((raw[at] ?? 0) > 4) return false;
  }
  return true;
}

/** Four bytes a pixel, rows from the top; null for an interlaced image. */
export function pngPixels(image: PngImage): Uint8Array | null {
  if (image.interlaced) return null;
  const { width, height, depth, colour, raw } = image;
  const channels = CHANNELS[colour] ?? 1;
  const stride = Math.ceil((width * depth * channels) / 8);
  const step = Math.max(1, (depth * channels) >> 3);
  const lines = unfilter(raw, stride, height, step);
  if (depth === 8 && colour === 6) return lines;
  const pixels = new Uint8Array(width * height * 4);
  if (depth === 8 && colour === 2 && !image.transparency) return withAlpha(lines, pixels);
  const paint = painter(image);
  const samples = new Uint16Array(channels);
  for (let y = 0, out = 0; y < height; y++) {
    for (let x = 0; x < width; x++, out += 4) {
      for (let c = 0; c < channels; c++) samples[c] = sampleAt(lines, y * stride, x * channels + c, depth);
      paint(samples, pixels, out);
    }
  }
  return pixels;
}

function withAlpha(rgb: Uint8Array, pixels: Uint8Array): Uint8Array {
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    pixels[to] = rgb[from] as number;
    pixels[to + 1] = rgb[from + 1] as number;
    pixels[to + 2] = rgb[from + 2] as number;
    pixels[to + 3] = 255;
  }
  return pixels;
}

function unfilter(raw: Buffer, stride: number, height: number, step: number): Uint8Array {
  const lines = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const source = y * (stride + 1);
    const line = lines.subarray(y * stride, (y + 1) * stride);
    line.set(raw.subarray(source + 1, source + 1 + stride));
    const above = y > 0 ? lines.subarray((y - 1) * stride, y * stride) : new Uint8Array(stride);
    unfilterLine(raw[source] as number, line, above, step);
  }
  return lines;
}

/** One loop per filter: large screenshots go through here while the daemon waits. */
function unfilterLine(filter: number, line: Uint8Array, above: Uint8Array, step: number): void {
  const { length } = line;
  const left = (i: number): number => (i >= step ? (line[i - step] as number) : 0);
  if (filter === 1) for (let i = step; i < length; i++) (line[i] as number) += line[i - step] as number;
  else if (filter === 2) for (let i = 0; i < length; i++) (line[i] as number) += above[i] as number;
  else if (filter === 3) {
    for (let i = 0; i < length; i++) (line[i] as number) += (left(i) + (above[i] as number)) >> 1;
  } else if (filter === 4) {
    for (let i = 0; i < length; i++) {
      const corner = i >= step ? (above[i - step] as number) : 0;
      (line[i] as number) += paeth(left(i), above[i] as number, corner);
    }
  }
}

/** Of the three neighbours the one nearest to left + up - corner. */
function paeth(left: number, up: number, corner: number): number {
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - 2 * corner);
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
}

function sampleAt(lines: Uint8Array, row: number, index: number, depth: number): number {
  if (depth === 8) return lines[row + index] as number;
  if (depth === 16) return ((lines[row + index * 2] as number) << 8) | (lines[row + index * 2 + 1] as number);
  const bit = index * depth;
  return ((lines[row + (bit >> 3)] as number) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

type Paint = (samples: Uint16Array, pixels: Uint8Array, out: number) => void;

function painter(image: PngImage): Paint {
  const { colour, depth, palette, transparency } = image;
  const scale = 255 / ((1 << depth) - 1);
  const key = transparency && colour < 3 ? transparency : null;
  const level = (samples: Uint16Array, at: number): number => Math.round((samples[at] ?? 0) * scale);
  if (colour === 3) {
    return (samples, pixels, out) => {
      const index = samples[0] ?? 0;
      for (let c = 0; c < 3; c++) pixels[out + c] = palette?.[index * 3 + c] ?? 0;
      pixels[out + 3] = transparency?.[index] ?? 255;
    };
  }
  const rgb = colour === 2 || colour === 6;
  const alphaAt = colour === 4 ? 1 : colour === 6 ? 3 : -1;
  return (samples, pixels, out) => {
    for (let c = 0; c < 3; c++) pixels[out + c] = level(samples, rgb ? c : 0);
    pixels[out + 3] = alphaAt >= 0 ? level(samples, alphaAt) : isKey(samples, key, rgb) ? 0 : 255;
  };
}

function isKey(samples: Uint16Array, key: Buffer | null, rgb: boolean): boolean {
  if (!key || key.length < (rgb ? 6 : 2)) return false;
  for (let c = 0; c < (rgb ? 3 : 1); c++) if (samples[c] !== key.readUInt16BE(c * 2)) return false;
  return true;
}

/** An 8-bit RGBA PNG of these pixels; RGB when all of them are opaque. */
export function encodePng(pixels: Uint8Array, width: number, height: number): Buffer {
  const channels = isOpaque(pixels) ? 3 : 4;
  const stride = width * channels;
  const raw = Buffer.alloc((stride + 1) * height);
  const previous = new Uint8Array(stride);
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    raw[to++] = 2; // each byte as its difference to the one above: cheap, and good for screenshots
    for (let x = 0, at = 0; x < width; x++, from += 4) {
      for (let c = 0; c < channels; c++, at++, to++) {
        const value = pixels[from + c] as number;
        raw[to] = value - (previous[at] as number);
        previous[at] = value;
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 3 ? 2 : 6, 0, 0, 0], 8);
  const data = deflateSync(raw, { level: 6 });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function isOpaque(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

function chunk(type: string, body: Buffer): Buffer {
  const framed = Buffer.alloc(body.length + 12);
  framed.writeUInt32BE(body.length, 0);
  framed.write(type, 4, "latin1");
  body.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + body.length)), 8 + body.length);
  return framed;
}

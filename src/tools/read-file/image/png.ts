import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";
import { type Layout, pixelsOf, rowBytes } from "./png-pixels.ts";
import type { Pixels } from "./scale.ts";

export type DecodedPng =
  | { type: "pixels"; pixels: Pixels }
  /** Whole and sound, but not turned into pixels: not asked for, interlaced, or too large for it. */
  | { type: "checked" }
  | { type: "damaged"; reason: string };

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const MAX_RAW = 128 * 1024 * 1024;
const MAX_PIXELS = 24_000_000;

/** Checks every chunk and the compressed data of a PNG; gives its pixels when wanted and possible. */
export async function decodePng(data: Buffer, wantPixels: boolean): Promise<DecodedPng> {
  const chunks = readChunks(data);
  if (typeof chunks === "string") return { type: "damaged", reason: chunks };
  const layout = layoutOf(chunks);
  if (typeof layout === "string") return { type: "damaged", reason: layout };
  const body = chunks.filter((chunk) => chunk.type === "IDAT").map((chunk) => chunk.data);
  if (body.length === 0) return { type: "damaged", reason: "no image data" };
  const expected = rawLength(layout);
  if (expected > MAX_RAW) return { type: "checked" };
  let raw: Buffer;
  try {
    raw = await promisify<Buffer, object, Buffer>(inflate)(Buffer.concat(body), {
      maxOutputLength: expected + 1,
    });
  } catch {
    return { type: "damaged", reason: "its compressed data cannot be read" };
  }
  if (raw.length !== expected) return { type: "damaged", reason: "too few or too many pixels" };
  const canDo = !layout.interlaced && layout.width * layout.height <= MAX_PIXELS;
  if (!wantPixels || !canDo) return { type: "checked" };
  const pixels = pixelsOf(raw, layout);
  return pixels ? { type: "pixels", pixels } : { type: "damaged", reason: "unknown row filter" };
}

type Chunk = { type: string; data: Buffer };

function readChunks(data: Buffer): Chunk[] | string {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const length = data.readUInt32BE(at);
    if (at + 12 + length > data.length) return "cut short";
    const type = data.toString("latin1", at + 4, at + 8);
    if (crc32(data.subarray(at + 4, at + 8 + length)) !== data.readUInt32BE(at + 8 + length)) {
      return `wrong checksum in ${type}`;
    }
    chunks.push({ type, data: data.subarray(at + 8, at + 8 + length) });
    if (type === "IEND") return chunks;
    at += 12 + length;
  }
  return "cut short";
}

function layoutOf(chunks: Chunk[]): Layout | string {
  const header = chunks[0]?.type === "IHDR" ? chunks[0].data : null;
  if (header?.length !== 13) return "no header";
  const colour = header.readUInt8(9);
  const depth = header.readUInt8(8);
  const channels = CHANNELS[colour];
  if (!channels || ![1, 2, 4, 8, 16].includes(depth)) return "unknown colour format";
  const find = (type: string): Buffer | undefined => chunks.find((chunk) => chunk.type === type)?.data;
  const palette = find("PLTE");
  if (colour === 3 && !palette) return "no palette";
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    depth,
    colour,
    channels,
    interlaced: header.readUInt8(12) === 1,
    ...(colour === 3 && palette ? { palette, transparency: find("tRNS") ?? Buffer.alloc(0) } : {}),
  };
}

const PASSES: [x: number, y: number, dx: number, dy: number][] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/** Bytes that the compressed data must give, a filter byte for each row included. */
function rawLength(layout: Layout): number {
  const { width, height } = layout;
  if (!layout.interlaced) return height * (1 + rowBytes(layout, width));
  return PASSES.reduce((sum, [x, y, dx, dy]) => {
    const columns = Math.max(0, Math.ceil((width - x) / dx));
    const rows = Math.max(0, Math.ceil((height - y) / dy));
    return sum + (columns === 0 ? 0 : rows * (1 + rowBytes(layout, columns)));
  }, 0);
}

/** A PNG of RGBA pixels. */
export async function encodePng({ width, height, data }: Pixels): Promise<Buffer> {
  const raw = Buffer.alloc(height * (1 + width * 4));
  for (let row = 0; row < height; row++) {
    raw.set(data.subarray(row * width * 4, (row + 1) * width * 4), row * (1 + width * 4) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const body = await promisify<Buffer, Buffer>(deflate)(raw);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", body),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}

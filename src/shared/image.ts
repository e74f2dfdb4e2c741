import { type Reading, readGif, readJpeg, readWebp } from "./image-formats.ts";
import { encodePng, isPng, pngPixels, readPng } from "./png.ts";

/** What the bytes of a picture are. `ok` false: no model should be sent them; `problem` says why. */
export type ImageInfo = {
  /** Empty when the bytes are none of the four formats. */
  mediaType: string;
  width: number;
  height: number;
  ok: boolean;
  /** Ends the sentence "cannot be shown: ...". */
  problem?: string;
};

/**
 * Tells a PNG, JPEG, GIF or WebP by its first bytes and checks it: a PNG whole (checksums, pixel data), the
 * others for a size, a picture and an end. Never throws; reads at most 64 MiB of pixels.
 */
export function inspectImage(bytes: Uint8Array): ImageInfo {
  const mediaType = imageMediaType(bytes);
  if (mediaType === null) {
    return { mediaType: "", width: 0, height: 0, ok: false, problem: "it is no PNG, JPEG, GIF or WebP" };
  }
  const { width, height, problem } = read(mediaType, bytes);
  return problem === undefined
    ? { mediaType, width, height, ok: true }
    : { mediaType, width, height, ok: false, problem };
}

/** The media type that the first bytes announce, or null; 12 bytes are enough. */
export function imageMediaType(bytes: Uint8Array): string | null {
  if (isPng(bytes)) return "image/png";
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") && head.length === 12 ? "image/webp" : null;
}

function read(mediaType: string, bytes: Uint8Array): Reading {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mediaType) {
    case "image/png": {
      const png = readPng(bytes);
      return png.ok ? { width: png.image.width, height: png.image.height } : png;
    }
    case "image/jpeg":
      return readJpeg(buffer);
    case "image/gif":
      return readGif(buffer);
    default:
      return readWebp(buffer);
  }
}

/**
 * The same picture with no side above `maxSide` pixels, its aspect kept to a pixel; the given bytes when it
 * fits already. Null when it is no sound PNG or is interlaced: the caller then has to leave it out.
 */
export function scalePng(
  bytes: Uint8Array,
  maxSide: number,
): { bytes: Uint8Array; width: number; height: number } | null {
  if (!isPng(bytes)) return null;
  const png = readPng(bytes);
  if (!png.ok) return null;
  const { width, height } = png.image;
  const longest = Math.max(width, height);
  if (longest <= maxSide) return { bytes, width, height };
  const pixels = pngPixels(png.image);
  if (!pixels) return null;
  const to = {
    width: Math.max(1, Math.round((width * maxSide) / longest)),
    height: Math.max(1, Math.round((height * maxSide) / longest)),
  };
  return { bytes: encodePng(boxScale(pixels, { width, height }, to), to.width, to.height), ...to };
}

type Size = { width: number; height: number };

/** Each new pixel is the mean of the old ones that it covers, colours weighted by their opacity. */
function boxScale(pixels: Uint8Array, from: Size, to: Size): Uint8Array {
  const out = new Uint8Array(to.width * to.height * 4);
  const columns = spans(from.width, to.width);
  const rows = spans(from.height, to.height);
  for (let y = 0, at = 0; y < to.height; y++) {
    for (let x = 0; x < to.width; x++, at += 4) {
      mean(pixels, from.width, columns, x * 2, rows, y * 2, out, at);
    }
  }
  return out;
}

/** Start and end of the old pixels under each new one, as pairs; at least one each. */
function spans(from: number, to: number): Uint32Array {
  const found = new Uint32Array(to * 2);
  for (let i = 0; i < to; i++) {
    const start = Math.floor((i * from) / to);
    found[i * 2] = start;
    found[i * 2 + 1] = Math.max(start + 1, Math.floor(((i + 1) * from) / to));
  }
  return found;
}

function mean(
  pixels: Uint8Array,
  width: number,
  columns: Uint32Array,
  column: number,
  rows: Uint32Array,
  row: number,
  out: Uint8Array,
  at: number,
): void {
  let red = 0;
  let green = 0;
  let blue = 0;
  let alpha = 0;
  let count = 0;
  for (let y = rows[row] as number; y < (rows[row + 1] as number); y++) {
    for (let x = columns[column] as number; x < (columns[column + 1] as number); x++, count++) {
      const from = (y * width + x) * 4;
      const weight = pixels[from + 3] as number;
      red += (pixels[from] as number) * weight;
      green += (pixels[from + 1] as number) * weight;
      blue += (pixels[from + 2] as number) * weight;
      alpha += weight;
    }
  }
  if (alpha === 0) return;
  out[at] = Math.round(red / alpha);
  out[at + 1] = Math.round(green / alpha);
  out[at + 2] = Math.round(blue / alpha);
  out[at + 3] = Math.round(alpha / count);
}

import { type Size, sizeOf } from "./dimensions.ts";
import { decodePng, encodePng } from "./png.ts";
import { scaleDown } from "./scale.ts";

/** Longest side, and bytes (5 MB as base64), that every vendor takes. */
const MAX_SIDE = 2000;
const MAX_BYTES = 3_750_000;

/** A picture that can be sent, or the reason why not, in words for the model. */
export type CheckedImage =
  | { ok: true; bytes: Uint8Array; width: number; height: number; scaledFrom?: Size }
  | { ok: false; note: string };

/**
 * Checks a picture before it can reach a vendor: a broken or too large one would spoil every later request.
 * PNG is decoded whole and scaled down when needed; of the others the structure is followed to its end.
 */
export async function checkImage(bytes: Uint8Array, mediaType: string): Promise<CheckedImage> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = sizeOf(data, mediaType);
  if (!size) return { ok: false, note: "the image is damaged or cut short; it cannot be shown." };
  const fits = Math.max(size.width, size.height) <= MAX_SIDE && data.length <= MAX_BYTES;
  if (mediaType === "image/png") return checkPng(data, size, fits);
  if (fits) return { ok: true, bytes, ...size };
  return { ok: false, note: tooLarge(size) };
}

async function checkPng(data: Buffer, size: Size, fits: boolean): Promise<CheckedImage> {
  const decoded = await decodePng(data, !fits);
  if (decoded.type === "damaged") {
    return { ok: false, note: `the PNG is damaged (${decoded.reason}); it cannot be shown.` };
  }
  if (fits) return { ok: true, bytes: data, ...size };
  if (decoded.type === "checked") return { ok: false, note: tooLarge(size) };
  for (let side = MAX_SIDE; side >= 250; side = Math.floor(side / 2)) {
    const smaller = scaleDown(decoded.pixels, side);
    const bytes = await encodePng(smaller);
    const { width, height } = smaller;
    if (bytes.length <= MAX_BYTES) return { ok: true, bytes, width, height, scaledFrom: size };
  }
  return { ok: false, note: tooLarge(size) };
}

const tooLarge = ({ width, height }: Size): string =>
  `${width}x${height} pixels; too large to be shown (at most ${MAX_SIDE} pixels a side and 5 MB as base64). Make a smaller copy first.`;

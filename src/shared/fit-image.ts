import { inspectImage, scalePng } from "./image.ts";

/** Bytes that every vendor takes, or why the picture cannot be sent ("it ..."). */
export type FittedImage =
  | { ok: true; bytes: Uint8Array; mediaType: string; width: number; height: number }
  | { ok: false; problem: string };

/** The strictest vendor's limits: longest side in pixels, size in base64 characters. */
const MAX_SIDE = 2000;
const MAX_BASE64 = 5 * 1024 * 1024;
/** Sides tried, one after the other. */
const SIDES = [MAX_SIDE, 1200, 700, 400];

/** Checks a picture and scales a PNG that is too large; other formats that are too large are refused. */
export function fitImage(bytes: Uint8Array): FittedImage {
  const { ok, mediaType, width, height, problem } = inspectImage(bytes);
  if (!ok) return { ok: false, problem: problem ?? "it cannot be read" };
  if (Math.max(width, height) <= MAX_SIDE && fits(bytes))
    return { ok: true, bytes, mediaType, width, height };
  for (const side of SIDES) {
    const scaled = scalePng(bytes, side);
    if (scaled && fits(scaled.bytes)) return { ok: true, mediaType: "image/png", ...scaled };
  }
  const size = `${width}x${height} pixels and ${bytes.length} bytes`;
  return {
    ok: false,
    problem: `with ${size} it is larger than models take; make a copy of at most ${MAX_SIDE} pixels a side`,
  };
}

const fits = (bytes: Uint8Array): boolean => Math.ceil(bytes.length / 3) * 4 <= MAX_BASE64;

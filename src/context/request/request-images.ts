import type { ImageBlock } from "../../protocol/message.ts";
import { inspectImage, scalePng } from "../../shared/image.ts";

export type LoadBlob = (hash: string) => Promise<Uint8Array | null>;

/** A picture as a wire takes it, or the text that stands in for it. */
export type PreparedImage =
  | { type: "image"; mediaType: string; base64: string }
  | { type: "text"; text: string };

/** The strictest vendor's limits: longest side in pixels, size in base64 characters. */
const MAX_SIDE = 2000;
const MAX_BASE64 = 5 * 1024 * 1024;
/** Sides tried, one after the other, for a picture whose file is too large. */
const SIDES = [MAX_SIDE, 1200, 700, 400];
const CACHE_BYTES = 16 * 1024 * 1024;

export type RequestImages = {
  /** The same blob gives the same answer as long as the store keeps it. */
  prepare(image: ImageBlock, loadBlob: LoadBlob): Promise<PreparedImage>;
};

/** Keeps the pictures used last as base64, up to `cacheBytes` (16 MiB); others are loaded again. */
export function createRequestImages(cacheBytes = CACHE_BYTES): RequestImages {
  const cache = new Map<string, Extract<PreparedImage, { type: "image" }>>();
  const faults = new Map<string, string>();
  let held = 0;

  const remember = (hash: string, image: Extract<PreparedImage, { type: "image" }>): void => {
    cache.set(hash, image);
    held += image.base64.length;
    for (const [oldest, { base64 }] of cache) {
      if (held <= cacheBytes) break;
      cache.delete(oldest);
      held -= base64.length;
    }
  };
  return {
    async prepare(image, loadBlob) {
      const { hash } = image.blob;
      const known = cache.get(hash);
      if (known) {
        cache.delete(hash);
        cache.set(hash, known);
        return known;
      }
      const fault = faults.get(hash);
      if (fault !== undefined) return imageNote(image, fault);
      const bytes = await loadBlob(hash);
      const prepared = bytes === null ? "its data is no longer stored" : prepareBytes(bytes);
      if (typeof prepared === "string") {
        faults.set(hash, prepared);
        return imageNote(image, prepared);
      }
      remember(hash, prepared);
      return prepared;
    },
  };
}

/** Says that a picture was here, and why it is not shown. */
export function imageNote(image: ImageBlock, reason: string): { type: "text"; text: string } {
  const size = image.width && image.height ? `, ${image.width}x${image.height} pixels` : "";
  return { type: "text", text: `[image${image.name ? ` ${image.name}` : ""}${size}, not shown: ${reason}]` };
}

/** Within the limits, scaled if need be; else why not. */
function prepareBytes(bytes: Uint8Array): Extract<PreparedImage, { type: "image" }> | string {
  const { ok, mediaType, width, height, problem } = inspectImage(bytes);
  if (!ok) return problem ?? "it cannot be read";
  if (Math.max(width, height) <= MAX_SIDE && base64Length(bytes) <= MAX_BASE64) {
    return { type: "image", mediaType, base64: toBase64(bytes) };
  }
  for (const side of SIDES) {
    const scaled = scalePng(bytes, side);
    if (scaled && base64Length(scaled.bytes) <= MAX_BASE64) {
      return { type: "image", mediaType: "image/png", base64: toBase64(scaled.bytes) };
    }
  }
  return `with ${width}x${height} pixels and ${bytes.length} bytes it is larger than models take; scale it to at most ${MAX_SIDE} pixels a side`;
}

const base64Length = (bytes: Uint8Array): number => Math.ceil(bytes.length / 3) * 4;

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

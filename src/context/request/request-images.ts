import type { ImageBlock } from "../../protocol/message.ts";
import { fitImage } from "../../shared/fit-image.ts";

export type LoadBlob = (hash: string) => Promise<Uint8Array | null>;

/** A picture as a wire takes it, or the text that stands in for it. */
export type PreparedImage =
  | { type: "image"; mediaType: string; base64: string }
  | { type: "text"; text: string };

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
      const fitted =
        bytes === null ? { ok: false as const, problem: "its data is no longer stored" } : fitImage(bytes);
      if (!fitted.ok) {
        faults.set(hash, fitted.problem);
        return imageNote(image, fitted.problem);
      }
      const prepared = {
        type: "image" as const,
        mediaType: fitted.mediaType,
        base64: toBase64(fitted.bytes),
      };
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

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

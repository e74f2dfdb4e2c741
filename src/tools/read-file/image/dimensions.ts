export type Size = { width: number; height: number };

/** Size of a picture in pixels; `null` when its structure is broken or ends too soon. */
export function sizeOf(data: Buffer, mediaType: string): Size | null {
  const size = parse(data, mediaType);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

function parse(data: Buffer, mediaType: string): Size | null {
  try {
    if (mediaType === "image/png") return png(data);
    if (mediaType === "image/jpeg") return jpeg(data);
    if (mediaType === "image/gif") return gif(data);
    return mediaType === "image/webp" ? webp(data) : null;
  } catch (error) {
    // Reading past the end: the file is cut short.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function png(data: Buffer): Size | null {
  if (data.toString("latin1", 12, 16) !== "IHDR") return null;
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

function jpeg(data: Buffer): Size | null {
  let size: Size | null = null;
  let at = 2;
  for (;;) {
    if (data.readUInt8(at) !== 0xff) return null;
    const marker = data.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
    } else if (marker === 0xd9) {
      return null;
    } else if (marker === 0xda) {
      return size && data.lastIndexOf(Buffer.from([0xff, 0xd9])) > at ? size : null;
    } else {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame) size = { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
      at += 2 + data.readUInt16BE(at + 2);
    }
  }
}

function gif(data: Buffer): Size | null {
  const size = { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
  const flags = data.readUInt8(10);
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let images = 0;
  for (;;) {
    const block = data.readUInt8(at);
    if (block === 0x3b) return images > 0 ? size : null;
    if (block === 0x21) {
      at = afterSubBlocks(data, at + 2);
    } else if (block === 0x2c) {
      const local = data.readUInt8(at + 9);
      at = afterSubBlocks(data, at + 11 + (local & 0x80 ? 3 * 2 ** ((local & 7) + 1) : 0));
      images += 1;
    } else {
      return null;
    }
  }
}

function afterSubBlocks(data: Buffer, start: number): number {
  let at = start;
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) at += 1 + length;
  return at + 1;
}

function webp(data: Buffer): Size | null {
  if (data.readUInt32LE(4) + 8 > data.length) return null;
  const kind = data.toString("latin1", 12, 16);
  if (kind === "VP8 ") {
    return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  }
  if (kind === "VP8L") {
    const bits = data.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== "VP8X") return null;
  return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
}

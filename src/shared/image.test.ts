import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { imageMediaType, inspectImage, scalePng } from "./image.ts";
import { encodePng, pngPixels, readPng } from "./png.ts";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const framed = Buffer.alloc(8 + body.length + 4);
  framed.writeUInt32BE(body.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), framed.length - 4);
  return framed;
}

/** A PNG written by hand: `lines` are the scan lines with their filter bytes. */
function png(
  header: { width: number; height: number; depth: number; colour: number; interlace?: number },
  lines: number[],
  extra: Buffer[] = [],
): Buffer {
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(header.width, 0);
  ihdr.writeUInt32BE(header.height, 4);
  ihdr.set([header.depth, header.colour, 0, 0, header.interlace ?? 0], 8);
  const data = chunk("IDAT", deflateSync(Buffer.from(lines)));
  return Buffer.concat([SIGNATURE, chunk("IHDR", ihdr), ...extra, data, chunk("IEND", Buffer.alloc(0))]);
}

function noise(width: number, height: number): Buffer {
  const pixels = new Uint8Array(width * height * 4);
  let seed = 7;
  for (let i = 0; i < pixels.length; i++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    pixels[i] = (i & 3) === 3 ? 255 : seed >> 16;
  }
  return encodePng(pixels, width, height);
}

function pixelsOf(bytes: Uint8Array): number[] {
  const read = readPng(bytes);
  if (!read.ok) throw new Error(read.problem);
  return [...(pngPixels(read.image) ?? [])];
}

describe("inspectImage on PNG", () => {
  it("reads a sound one", () => {
    expect(inspectImage(noise(64, 48))).toEqual({ mediaType: "image/png", width: 64, height: 48, ok: true });
  });

  it("finds bytes deleted in the middle of the pixel data", () => {
    const whole = noise(64, 64);
    const broken = Buffer.concat([whole.subarray(0, 4000), whole.subarray(4040)]);
    expect(inspectImage(broken)).toMatchObject({ mediaType: "image/png", width: 64, height: 64, ok: false });
  });

  it("finds pixel data that is missing although every checksum fits", () => {
    const short = png({ width: 2, height: 2, depth: 8, colour: 0 }, [0, 1, 2]);
    expect(inspectImage(short)).toMatchObject({ ok: false, problem: "its pixel data is incomplete" });
    const long = png({ width: 1, height: 1, depth: 8, colour: 0 }, [0, 1, 2, 3]);
    expect(inspectImage(long).ok).toBe(false);
    const filter = png({ width: 1, height: 1, depth: 8, colour: 0 }, [9, 1]);
    expect(inspectImage(filter)).toMatchObject({ problem: "a scan line has an unknown filter" });
  });

  it("never takes any single cut or flipped byte for a sound image, and never throws", () => {
    const whole = noise(5, 4);
    for (let at = 0; at < whole.length; at++) {
      expect(inspectImage(whole.subarray(0, at)).ok).toBe(false);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ 0x10;
      expect(inspectImage(flipped).ok).toBe(false);
    }
  });

  it("refuses impossible headers and bombs without inflating them", () => {
    expect(inspectImage(png({ width: 1, height: 1, depth: 3, colour: 0 }, [0, 0])).ok).toBe(false);
    expect(inspectImage(png({ width: 0, height: 1, depth: 8, colour: 0 }, [])).ok).toBe(false);
    expect(inspectImage(png({ width: 1, height: 1, depth: 8, colour: 3 }, [0, 0]))).toMatchObject({
      problem: "its palette is missing",
    });
    expect(inspectImage(png({ width: 60_000, height: 60_000, depth: 8, colour: 6 }, [0]))).toMatchObject({
      ok: false,
      width: 60_000,
      problem: "60000x60000 pixels are too many to check",
    });
  });

  it("checks interlaced ones by their passes", () => {
    // 2x2 gray: passes 1 (one pixel), 6 (one pixel) and 7 (one row of two).
    const lines = [0, 10, 0, 20, 0, 30, 40];
    const bytes = png({ width: 2, height: 2, depth: 8, colour: 0, interlace: 1 }, lines);
    expect(inspectImage(bytes).ok).toBe(true);
    expect(scalePng(bytes, 1)).toBeNull();
  });
});

describe("inspectImage on other formats", () => {
  const gif = Buffer.from("47494638396101000100800000000000ffffff2c00000000010001000002024401003b", "hex");
  const jpeg = Buffer.from("ffd8ffc0000b080010002001011100ffda0008010100003f00d2cf20ffd9", "hex");
  const webp = Buffer.from("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700", "hex");

  it("reads size and kind", () => {
    expect(inspectImage(gif)).toEqual({ mediaType: "image/gif", width: 1, height: 1, ok: true });
    expect(inspectImage(jpeg)).toEqual({ mediaType: "image/jpeg", width: 32, height: 16, ok: true });
    expect(inspectImage(webp)).toMatchObject({ mediaType: "image/webp", width: 1, height: 1, ok: true });
  });

  it("tells cut ones, at whatever byte, and never throws", () => {
    for (const whole of [jpeg, webp]) {
      for (let at = 0; at < whole.length; at++) expect(inspectImage(whole.subarray(0, at)).ok).toBe(false);
    }
    for (let at = 0; at < gif.length - 1; at++) expect(inspectImage(gif.subarray(0, at)).ok).toBe(false);
  });

  it("names what is no image", () => {
    expect(inspectImage(Buffer.from("hello"))).toMatchObject({ mediaType: "", ok: false });
    expect(imageMediaType(Buffer.from("RIFF....WAVE"))).toBeNull();
    expect(inspectImage(Buffer.alloc(0)).ok).toBe(false);
  });
});

describe("pixels", () => {
  it("undoes every filter", () => {
    const lines = [0, 10, 20, 30, 1, 5, 5, 5, 2, 1, 1, 1, 3, 2, 2, 2, 4, 3, 3, 3];
    const gray = pixelsOf(png({ width: 3, height: 5, depth: 8, colour: 0 }, lines)).filter(
      (_, i) => i % 4 === 0,
    );
    expect(gray).toEqual([10, 20, 30, 5, 10, 15, 6, 11, 16, 5, 10, 15, 8, 13, 18]);
  });

  it("reads palettes with transparency, small depths, 16 bits and colour keys", () => {
    const palette = [chunk("PLTE", Buffer.from([1, 2, 3, 4, 5, 6])), chunk("tRNS", Buffer.from([9]))];
    expect(pixelsOf(png({ width: 2, height: 1, depth: 1, colour: 3 }, [0, 0b01000000], palette))).toEqual([
      1, 2, 3, 9, 4, 5, 6, 255,
    ]);
    expect(pixelsOf(png({ width: 1, height: 1, depth: 16, colour: 4 }, [0, 255, 255, 0, 0]))).toEqual([
      255, 255, 255, 0,
    ]);
    const key = [chunk("tRNS", Buffer.from([0, 1, 0, 2, 0, 3]))];
    expect(pixelsOf(png({ width: 2, height: 1, depth: 8, colour: 2 }, [0, 1, 2, 3, 1, 2, 4], key))).toEqual([
      1, 2, 3, 0, 1, 2, 4, 255,
    ]);
  });
});

describe("scalePng", () => {
  it("keeps what fits and refuses what is no sound PNG", () => {
    const small = noise(20, 10);
    expect(scalePng(small, 20)?.bytes).toBe(small);
    expect(scalePng(small.subarray(0, 60), 5)).toBeNull();
    expect(scalePng(Buffer.from("GIF89a"), 5)).toBeNull();
  });

  it("scales long sides down, aspect kept to a pixel", () => {
    for (const [width, height, to] of [
      [2600, 120, [2000, 92]],
      [9000, 10, [2000, 2]],
      [1, 4000, [1, 2000]],
    ] as const) {
      const scaled = scalePng(noise(width, height), 2000);
      expect([scaled?.width, scaled?.height]).toEqual(to);
      expect(inspectImage(scaled?.bytes ?? Buffer.alloc(0))).toMatchObject({
        ok: true,
        width: to[0],
        height: to[1],
      });
    }
  });

  it("averages colours by their opacity", () => {
    const half = encodePng(new Uint8Array([200, 0, 0, 255, 0, 255, 0, 0]), 2, 1);
    expect(pixelsOf(scalePng(half, 1)?.bytes ?? Buffer.alloc(0))).toEqual([200, 0, 0, 128]);
  });
});

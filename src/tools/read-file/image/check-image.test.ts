import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkImage } from "./check-image.ts";
import { decodePng } from "./png.ts";

type Spec = {
  width: number;
  height: number;
  depth?: number;
  colour?: number;
  rows?: Buffer;
  extra?: Buffer[];
};

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

function png({ width, height, depth = 8, colour = 2, rows, extra = [] }: Spec): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour], 8);
  const channels = [1, 0, 3, 1, 2, 0, 4][colour]!;
  const raw = rows ?? Buffer.alloc(height * (1 + Math.ceil((width * channels * depth) / 8)));
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    ...extra,
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

test("H22: a PNG with a good header and a broken body is found out", async () => {
  const noise = Buffer.from(
    Array.from({ length: 64 * 193 }, (_, index) => (index % 193 === 0 ? 0 : (index * 7919) % 251)),
  );
  const whole = png({ width: 64, height: 64, rows: noise });
  expect(await checkImage(whole, "image/png")).toMatchObject({ ok: true, width: 64, height: 64 });
  const middle = Math.floor(whole.length / 2);
  const broken = Buffer.concat([whole.subarray(0, middle), whole.subarray(middle + 40)]);
  expect(await checkImage(broken, "image/png")).toMatchObject({ ok: false });
  expect(await checkImage(whole.subarray(0, middle), "image/png")).toMatchObject({ ok: false });
  const short = png({ width: 64, height: 64, rows: noise.subarray(0, 193 * 60) });
  expect(await checkImage(short, "image/png")).toMatchObject({ ok: false });
});

test("H23: pictures above the limit are scaled with their aspect", async () => {
  for (const [width, height, wanted] of [
    [2600, 120, 92],
    [9000, 10, 2],
  ] as const) {
    const checked = await checkImage(png({ width, height }), "image/png");
    expect(checked).toMatchObject({ ok: true, width: 2000, height: wanted, scaledFrom: { width, height } });
    const again = checked.ok ? await checkImage(checked.bytes, "image/png") : checked;
    expect(again).toMatchObject({ ok: true, width: 2000, height: wanted });
  }
});

test("every filter and colour format is decoded to the right pixels", async () => {
  const pixels = async (data: Buffer) => {
    const decoded = await decodePng(data, true);
    return decoded.type === "pixels" ? [...decoded.pixels.data] : decoded;
  };
  // Rows of two grey pixels 10, 20: with no filter, sub, up, average, Paeth.
  const filtered = Buffer.from([0, 10, 20, 1, 10, 10, 2, 0, 0, 3, 5, 5, 4, 0, 0]);
  const grey = [10, 10, 10, 255, 20, 20, 20, 255];
  expect(await pixels(png({ width: 2, height: 5, colour: 0, rows: filtered }))).toEqual([
    ...grey,
    ...grey,
    ...grey,
    ...grey,
    ...grey,
  ]);
  const palette = [chunk("PLTE", Buffer.from([1, 2, 3, 4, 5, 6])), chunk("tRNS", Buffer.from([7]))];
  const bits = Buffer.from([0, 0b01000000]);
  expect(await pixels(png({ width: 2, height: 1, depth: 1, colour: 3, rows: bits, extra: palette }))).toEqual(
    [1, 2, 3, 7, 4, 5, 6, 255],
  );
  const deep = Buffer.from([0, 9, 0, 8, 0, 7, 0, 6, 0]);
  expect(await pixels(png({ width: 1, height: 1, depth: 16, colour: 6, rows: deep }))).toEqual([9, 8, 7, 6]);
  const alpha = Buffer.from([0, 50, 60]);
  expect(await pixels(png({ width: 1, height: 1, colour: 4, rows: alpha }))).toEqual([50, 50, 50, 60]);
});

test("JPEG, GIF and WebP are measured and followed to their end", async () => {
  const frame = [0xff, 0xc0, 0, 11, 8, 0, 20, 0, 30, 1, 1, 0x11, 0];
  const jpeg = Buffer.from([0xff, 0xd8, ...frame, 0xff, 0xda, 0, 3, 0, 1, 2, 0xff, 0xd9]);
  expect(await checkImage(jpeg, "image/jpeg")).toMatchObject({ ok: true, width: 30, height: 20 });
  expect(await checkImage(jpeg.subarray(0, -2), "image/jpeg")).toMatchObject({ ok: false });

  const image = [0x2c, 0, 0, 0, 0, 5, 0, 6, 0, 0, 2, 2, 0x4c, 1, 0];
  const gif = Buffer.from([...Buffer.from("GIF89a"), 5, 0, 6, 0, 0, 0, 0, ...image, 0x3b]);
  expect(await checkImage(gif, "image/gif")).toMatchObject({ ok: true, width: 5, height: 6 });
  expect(await checkImage(gif.subarray(0, -1), "image/gif")).toMatchObject({ ok: false });

  const webp = Buffer.alloc(30);
  webp.write("RIFF", 0);
  webp.writeUInt32LE(22, 4);
  webp.write("WEBPVP8X", 8);
  webp.writeUIntLE(2999, 24, 3);
  webp.writeUIntLE(99, 27, 3);
  expect(await checkImage(webp, "image/webp")).toMatchObject({
    ok: false,
    note: expect.stringContaining("3000x100"),
  });
  webp.writeUIntLE(299, 24, 3);
  expect(await checkImage(webp, "image/webp")).toMatchObject({ ok: true, width: 300, height: 100 });
  expect(await checkImage(webp.subarray(0, 29), "image/webp")).toMatchObject({ ok: false });
});

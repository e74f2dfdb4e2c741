import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { inspectImage } from "../../shared/image.ts";
import { encodePng } from "../../shared/png.ts";
import { readFileTool } from "./read-file.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

async function readImage(name: string, bytes: Uint8Array) {
  writeFileSync(join(lab.work, name), bytes);
  return lab.run(readFileTool, { path: name });
}

/** Pixels that compress badly. */
const noise = (width: number, height: number): Buffer => {
  let seed = 1;
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, index) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return index % 4 === 3 ? 255 : (seed >> 16) & 0xff;
  });
  return encodePng(pixels, width, height);
};

test("a sound picture is sent as it is", async () => {
  const bytes = noise(64, 64);
  const output = await readImage("a.png", bytes);
  expect(textOf(output)).toBe("a.png (image/png, 64x64)\n[image]");
  expect(lab.images.map((image) => Buffer.from(image).equals(bytes))).toEqual([true]);
});

test("H22: a good header with a broken body becomes a note", async () => {
  const whole = noise(64, 64);
  const middle = Math.floor(whole.length / 2);
  const output = await readImage(
    "broken.png",
    Buffer.concat([whole.subarray(0, middle), whole.subarray(middle + 40)]),
  );
  expect(textOf(output)).toMatch(/^broken\.png \(image\/png, \d+ bytes\) cannot be shown: /);
  expect(lab.images).toEqual([]);
});

test("H23: too wide pictures are scaled with their aspect", async () => {
  await readImage("a.png", noise(2600, 120));
  const output = await readImage("b.png", noise(9000, 10));
  expect(textOf(output)).toBe("b.png (image/png, 2000x2, scaled down from 9000x10)\n[image]");
  expect(lab.images.map(inspectImage)).toMatchObject([
    { ok: true, width: 2000, height: 92 },
    { ok: true, width: 2000, height: 2 },
  ]);
});

test("too many bytes are made fewer, and what cannot be scaled becomes a note with its size", async () => {
  const large = noise(1400, 1400);
  expect(large.length).toBeGreaterThan(5_000_000);
  await readImage("large.png", large);
  expect(lab.images[0]?.length).toBeLessThan(3_750_000);
  const frame = [0xff, 0xc0, 0, 11, 8, 0, 20, 0x0b, 0xb8, 1, 1, 0x11, 0];
  const jpeg = Buffer.from([0xff, 0xd8, ...frame, 0xff, 0xda, 0, 3, 0, 1, 2, 0xff, 0xd9]);
  expect(textOf(await readImage("wide.jpg", jpeg))).toContain("3000x20 pixels");
});

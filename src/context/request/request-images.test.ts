import { expect, it } from "vitest";
import type { ImageBlock } from "../../protocol/message.ts";
import { encodePng } from "../../shared/png.ts";
import { createRequestImages } from "./request-images.ts";

function picture(seed: number): { bytes: Buffer; block: ImageBlock } {
  const bytes = encodePng(
    Uint8Array.from({ length: 400 }, (_, i) => (seed * i * 31) & 255),
    10,
    10,
  );
  return { bytes, block: { type: "image", blob: { hash: `h${seed}`, size: bytes.length, mediaType: "" } } };
}

it("keeps what was used last within its bytes and loads the rest again", async () => {
  const pictures = [picture(1), picture(2), picture(3)];
  const sizes = pictures.map(({ bytes }) => bytes.toString("base64").length);
  const loads: string[] = [];
  const load = async (hash: string) => {
    loads.push(hash);
    return pictures[Number(hash.slice(1)) - 1]?.bytes ?? null;
  };
  const images = createRequestImages(sizes[0]! + Math.max(sizes[1]!, sizes[2]!));
  for (const index of [0, 1, 0, 1, 0, 2, 0, 1]) {
    const { bytes, block } = pictures[index]!;
    expect(await images.prepare(block, load)).toMatchObject({ base64: bytes.toString("base64") });
  }
  expect(loads).toEqual(["h1", "h2", "h3", "h2"]);
});

it("remembers a fault without loading the bytes again", async () => {
  let loads = 0;
  const images = createRequestImages();
  const block = { ...picture(9).block, name: "a.png", width: 3, height: 4 };
  for (let i = 0; i < 2; i++) {
    const shown = await images.prepare(block, async () => {
      loads += 1;
      return Buffer.from("nothing");
    });
    expect(shown).toEqual({
      type: "text",
      text: "[image a.png, 3x4 pixels, not shown: it is no PNG, JPEG, GIF or WebP]",
    });
  }
  expect(loads).toBe(1);
});

it("scales a picture whose file is too large until it fits", async () => {
  let state = 1;
  const pixels = Uint8Array.from({ length: 1300 * 1300 * 4 }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 24;
  });
  const bytes = encodePng(pixels, 1300, 1300);
  expect(bytes.length).toBeGreaterThan(5_000_000);
  const shown = await createRequestImages().prepare(picture(5).block, async () => bytes);
  expect(shown.type === "image" ? shown.base64.length : 0).toBeGreaterThan(1000);
  expect(shown.type === "image" ? shown.base64.length : 0).toBeLessThanOrEqual(5 * 1024 * 1024);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { type DaemonLab, openDaemonLab } from "../testing/daemon-lab.ts";
import { promptContent } from "./prompt-content.ts";

let lab: DaemonLab;
afterEach(() => lab.close());

const content = async (...parts: Parameters<typeof promptContent>[0]) => {
  const id = await lab.client().session();
  return await promptContent(parts, await lab.hub.get(id), lab.ports.effects);
};

it("keeps the words, adds what is mentioned, then what has changed", async () => {
  lab = await openDaemonLab([]);
  lab.folders.write("notes.txt", "line one\n");
  writeFileSync(join(lab.folders.paths.home, "secret.txt"), "not for you\n");
  const blocks = await content({
    type: "text",
    text: `see @notes.txt and @${lab.folders.paths.home}/secret.txt`,
  });
  expect(blocks[0]).toMatchObject({ type: "text", text: expect.stringContaining("see @notes.txt") });
  expect(JSON.stringify(blocks)).toContain("line one");
  expect(JSON.stringify(blocks)).not.toContain("not for you");
  expect(blocks.at(-1)?.type).toBe("reminder");
});

it("stores images with what they really are, and names what is none or too large", async () => {
  lab = await openDaemonLab([]);
  const base64 = png().toString("base64");
  expect((await content({ type: "image", mediaType: "image/jpeg", base64, name: "a.png" }))[0]).toMatchObject(
    {
      type: "image",
      blob: { mediaType: "image/png", size: png().length },
      width: 1,
      height: 1,
      name: "a.png",
    },
  );
  await expect(
    content({ type: "image", mediaType: "image/png", base64: "AAAA", name: "b.png" }),
  ).rejects.toThrow(/^b\.png cannot be read as an image/);
  const large = Buffer.alloc(6_000_000).toString("base64");
  await expect(content({ type: "image", mediaType: "image/png", base64: large })).rejects.toThrow(
    "at most 5 MB",
  );
});

it("refuses an empty prompt", async () => {
  lab = await openDaemonLab([]);
  await expect(content({ type: "text", text: " \n" })).rejects.toMatchObject({ code: "bad_input" });
});

/** One grey pixel. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 128]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function crc(data: Buffer): number {
  let value = ~0;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

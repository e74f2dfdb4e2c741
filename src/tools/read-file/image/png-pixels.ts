import type { Pixels } from "./scale.ts";

/** What the chunks of a PNG say about its pixels. */
export type Layout = {
  width: number;
  height: number;
  /** Bits of one sample. */
  depth: number;
  /** PNG colour type: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA. */
  colour: number;
  channels: number;
  interlaced: boolean;
  palette?: Buffer;
  transparency?: Buffer;
};

/** Bytes of a row of `columns` pixels, without its filter byte. */
export const rowBytes = (layout: Layout, columns: number): number =>
  Math.ceil((columns * layout.channels * layout.depth) / 8);

/** RGBA pixels of the raw rows of a PNG that is not interlaced; `null` when a row has an unknown filter. */
export function pixelsOf(raw: Buffer, layout: Layout): Pixels | null {
  const { width, height } = layout;
  const length = rowBytes(layout, width);
  const step = Math.max(1, (layout.channels * layout.depth) >> 3);
  const data = new Uint8Array(width * height * 4);
  let above: Buffer = Buffer.alloc(length);
  for (let row = 0; row < height; row++) {
    const start = row * (length + 1);
    const line = raw.subarray(start + 1, start + 1 + length);
    if (!unfilter(raw[start] as number, line, above, step)) return null;
    paint(data, row, line, layout);
    above = line;
  }
  return { width, height, data };
}

function unfilter(filter: number, line: Buffer, above: Buffer, step: number): boolean {
  if (filter > 4) return false;
  for (let index = 0; filter > 0 && index < line.length; index++) {
    const left = index >= step ? (line[index - step] as number) : 0;
    const up = above[index] as number;
    const corner = index >= step ? (above[index - step] as number) : 0;
    const guess =
      filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    line[index] = (line[index] as number) + guess;
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function paint(data: Uint8Array, row: number, line: Buffer, layout: Layout): void {
  const { width, channels, colour } = layout;
  for (let column = 0; column < width; column++) {
    const sample = (channel: number): number => sampleAt(line, column * channels + channel, layout);
    const at = (row * width + column) * 4;
    if (colour === 3) {
      const entry = sample(0);
      data.set(layout.palette?.subarray(entry * 3, entry * 3 + 3) ?? [], at);
      data[at + 3] = layout.transparency?.[entry] ?? 255;
    } else {
      const grey = channels < 3;
      data[at] = sample(0);
      data[at + 1] = sample(grey ? 0 : 1);
      data[at + 2] = sample(grey ? 0 : 2);
      data[at + 3] = channels % 2 === 0 ? sample(channels - 1) : 255;
    }
  }
}

/** One sample as a byte; palette entries stay numbers of entries. */
function sampleAt(line: Buffer, index: number, { depth, colour }: Layout): number {
  if (depth === 8) return line[index] as number;
  if (depth === 16) return line[index * 2] as number;
  const bit = index * depth;
  const value = ((line[bit >> 3] as number) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  return colour === 3 ? value : Math.round((value * 255) / ((1 << depth) - 1));
}

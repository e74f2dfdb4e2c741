/** RGBA, 8 bits a sample, row by row. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** The picture with its longest side at most `side`, aspect kept; each pixel is the mean of those it covers. */
export function scaleDown(pixels: Pixels, side: number): Pixels {
  const factor = Math.min(1, side / Math.max(pixels.width, pixels.height));
  const width = Math.max(1, Math.round(pixels.width * factor));
  const height = Math.max(1, Math.round(pixels.height * factor));
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const rows = span(y, height, pixels.height);
    for (let x = 0; x < width; x++) {
      average(pixels, span(x, width, pixels.width), rows, data, (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

type Range = { from: number; to: number };

function span(index: number, count: number, total: number): Range {
  const from = Math.floor((index * total) / count);
  return { from, to: Math.max(from + 1, Math.floor(((index + 1) * total) / count)) };
}

function average(pixels: Pixels, columns: Range, rows: Range, data: Uint8Array, at: number): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = rows.from; y < rows.to; y++) {
    for (let x = columns.from; x < columns.to; x++) {
      const from = (y * pixels.width + x) * 4;
      const weight = pixels.data[from + 3] as number;
      red += (pixels.data[from] as number) * weight;
      green += (pixels.data[from + 1] as number) * weight;
      blue += (pixels.data[from + 2] as number) * weight;
      alpha += weight;
    }
  }
  const weight = Math.max(1, alpha);
  const count = (columns.to - columns.from) * (rows.to - rows.from);
  data[at] = Math.round(red / weight);
  data[at + 1] = Math.round(green / weight);
  data[at + 2] = Math.round(blue / weight);
  data[at + 3] = Math.round(alpha / count);
}

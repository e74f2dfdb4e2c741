/** Widths in terminal cells. One cell for what is neither zero-width, wide nor an emoji. */

const ASCII = /^[\x20-\x7e]*$/;
// Characters that stand alone, one cell or two each: our own signs, Latin letters, kana, ideographs, Hangul.
const ALONE =
  /^[\x20-\x7e\u00a1-\u02af\u2010-\u2027\u2030-\u203b\u2190-\u21ff\u2500-\u25a9\u2713\u2717\u2800-\u28ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*$/;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}{2})/u;

/** East Asian wide and full-width ranges, both ends included. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

let segmenter: Intl.Segmenter | undefined;

/** The text cut into what a person takes for characters. */
export function clusters(text: string): string[] {
  if (ALONE.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Cells of one cluster. */
export function clusterWidth(cluster: string): number {
  const code = cluster.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return cluster.length > 1 && cluster.includes("\ufe0f") ? 2 : 1;
  if (ZERO.test(cluster)) return 0;
  if (EMOJI.test(cluster)) return 2;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** Cells of a text without newlines and control sequences. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  if (ALONE.test(text)) return aloneWidth(text);
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

function aloneWidth(text: string): number {
  let width = text.length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x3041) width += 1;
  return width;
}

/** The longest beginning that fits into `width` cells. */
export function fitWidth(text: string, width: number): string {
  if (ASCII.test(text)) return text.slice(0, Math.max(0, width));
  let used = 0;
  let end = 0;
  for (const cluster of clusters(text)) {
    used += clusterWidth(cluster);
    if (used > width) break;
    end += cluster.length;
  }
  return text.slice(0, end);
}

/** As `fitWidth`, with an ellipsis where something was cut. */
export function cutWidth(text: string, width: number, ellipsis = "…"): string {
  if (textWidth(text) <= width) return text;
  return width <= textWidth(ellipsis)
    ? fitWidth(text, width)
    : fitWidth(text, width - textWidth(ellipsis)) + ellipsis;
}

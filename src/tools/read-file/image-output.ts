import type { Result } from "../../protocol/ports.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { inspectImage, scalePng } from "../../shared/image.ts";
import { portFailure, textOutput } from "../support/output.ts";

/** Longest side, and bytes (5 MB as base64), that every vendor takes. */
const MAX_SIDE = 2000;
const MAX_BYTES = 3_750_000;
const SMALLEST_SIDE = 250;

/**
 * An image block when vendors will take the picture, else a note that says why not: a broken or too large one
 * would spoil every later request.
 */
export async function imageOutput(
  loaded: Result<Uint8Array>,
  name: string,
  context: ToolContext,
): Promise<ToolOutput> {
  if (!loaded.ok) return portFailure(loaded.error);
  const bytes = loaded.value;
  const { mediaType, width, height, ok, problem } = inspectImage(bytes);
  if (!ok) return textOutput(`${name} (${mediaType}, ${bytes.length} bytes) cannot be shown: ${problem}.`);
  const fitting = smallEnough({ bytes, width, height });
  if (!fitting) {
    return textOutput(
      `${name} (${mediaType}, ${width}x${height} pixels, ${bytes.length} bytes) is too large to be shown: at most ${MAX_SIDE} pixels a side and 5 MB as base64. Make a smaller copy first.`,
    );
  }
  const image = await context.image(fitting.bytes, mediaType, {
    width: fitting.width,
    height: fitting.height,
  });
  const scaled = fitting.bytes === bytes ? "" : `, scaled down from ${width}x${height}`;
  const text = `${name} (${mediaType}, ${fitting.width}x${fitting.height}${scaled})`;
  return { status: "ok", content: [{ type: "text", text }, image] };
}

type Picture = { bytes: Uint8Array; width: number; height: number };

function smallEnough(picture: Picture): Picture | null {
  const longest = Math.max(picture.width, picture.height);
  if (longest <= MAX_SIDE && picture.bytes.length <= MAX_BYTES) return picture;
  const first = longest > MAX_SIDE ? MAX_SIDE : Math.floor(longest / 2);
  for (let side = first; side >= SMALLEST_SIDE; side = Math.floor(side / 2)) {
    const scaled = scalePng(picture.bytes, side);
    if (!scaled || scaled.bytes.length <= MAX_BYTES) return scaled;
  }
  return null;
}

import type { Result } from "../../protocol/ports.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { portFailure, textOutput } from "../support/output.ts";
import { checkImage } from "./image/check-image.ts";

/** An image block when vendors will take the picture, else a note that says why not. */
export async function imageOutput(
  loaded: Result<Uint8Array>,
  name: string,
  mediaType: string,
  context: ToolContext,
): Promise<ToolOutput> {
  if (!loaded.ok) return portFailure(loaded.error);
  const checked = await checkImage(loaded.value, mediaType);
  if (!checked.ok) return textOutput(`${name} (${mediaType}, ${loaded.value.length} bytes): ${checked.note}`);
  const { bytes, width, height, scaledFrom } = checked;
  const image = await context.image(bytes, mediaType, { width, height });
  const scaled = scaledFrom ? `, scaled down from ${scaledFrom.width}x${scaledFrom.height}` : "";
  const text = `${name} (${mediaType}, ${width}x${height}${scaled})`;
  return { status: "ok", content: [{ type: "text", text }, image] };
}

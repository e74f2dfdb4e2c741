import type { Glyphs } from "../theme/glyphs.ts";

/** How wide, and with which signs, something is drawn. */
export type Frame = { width: number; glyphs: Glyphs };

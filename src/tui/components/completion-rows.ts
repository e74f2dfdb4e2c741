import type { Frame } from "../markdown/frame.ts";
import { cutLine, type Line, span } from "../text/line.ts";

const SHOWN = 8;

type Items = { items: readonly { label: string; note: string }[]; selected: number } | null;

/** The choices under the editor, with the selected one among them. */
export function completionRows(completion: Items, frame: Frame): Line[] {
  if (!completion) return [];
  const first = Math.max(0, Math.min(completion.selected - SHOWN + 2, completion.items.length - SHOWN));
  return completion.items
    .slice(first, first + SHOWN)
    .map(({ label, note }, index) =>
      cutLine(
        [
          span(first + index === completion.selected ? "selected" : "plain", `  ${label}`),
          span("dim", note === "" ? "" : `  ${note}`),
        ],
        frame.width,
        frame.glyphs.ellipsis,
      ),
    );
}

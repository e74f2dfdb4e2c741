import type { TodoItem } from "../../protocol/plans.ts";
import { plural, stripControls } from "../../shared/text.ts";
import type { Frame } from "../markdown/frame.ts";
import { cutLine, type Line, span } from "../text/line.ts";

const SHOWN = 6;

/** The checklist while there is work left: the rows around the item in hand. */
export function todoRows(items: readonly TodoItem[], frame: Frame): Line[] {
  const current = items.findIndex((item) => item.status !== "completed");
  if (current < 0) return [];
  const first = Math.max(0, Math.min(current - 1, items.length - SHOWN));
  const shown = items.slice(first, first + SHOWN);
  const rows = shown.map((item) => {
    const done = item.status === "completed";
    const mark = done
      ? frame.glyphs.done
      : item.status === "in_progress"
        ? frame.glyphs.user
        : frame.glyphs.waiting;
    const style = done ? "dim" : item.status === "in_progress" ? "bold" : "plain";
    return cutLine(
      [span(done ? "ok" : "accent", `  ${mark} `), span(style, stripControls(item.text))],
      frame.width,
      frame.glyphs.ellipsis,
    );
  });
  const left = items.length - shown.length;
  return left > 0 ? [...rows, [span("dim", `    ${plural(left, "more item")}`)]] : rows;
}

import type { Frame } from "../markdown/frame.ts";
import type { Line } from "../text/line.ts";
import type { Block } from "./block.ts";
import { blockLines } from "./render-block.ts";

/** What stands last in the scrollback: decides whether the next block needs a blank row. */
export type Last = { kind: Kind; blank: boolean };

type Kind = "start" | "tools" | "text" | "end";

export const NOTHING_YET: Last = { kind: "start", blank: true };

/** Blocks as rows, set apart by single blank rows, tool calls kept together. */
export function compose(blocks: readonly Block[], last: Last, frame: Frame): { rows: Line[]; last: Last } {
  const rows: Line[] = [];
  let now = last;
  for (const block of blocks) {
    const kind = kindOf(block);
    const apart = kind !== now.kind && (kind === "tools" || now.kind === "tools" || now.kind === "end");
    const added = dropDouble([...(apart ? [[]] : []), ...blockLines(block, frame)], now.blank);
    if (added.length === 0) continue;
    rows.push(...added);
    now = { kind, blank: added.at(-1)?.length === 0 };
  }
  return { rows, last: now };
}

/** Rows for what streams, to stand below the scrollback. */
export function below(rows: Line[], last: Last): Line[] {
  return dropDouble(rows, last.blank);
}

function kindOf(block: Block): Kind {
  if (block.type === "call" || block.type === "answered") return "tools";
  return block.type === "turn_end" || block.type === "welcome" ? "end" : "text";
}

function dropDouble(rows: Line[], afterBlank: boolean): Line[] {
  return rows.filter((row, at) => row.length > 0 || !(at === 0 ? afterBlank : rows[at - 1]?.length === 0));
}

import { sliceWhole } from "../../shared/text.ts";

/** Which lines are wanted: 1-based first line, at most `maxLines` and `maxChars` (each line end counts one). */
export type WindowQuery = { firstLine: number; maxLines: number; maxChars: number; startChar: number };

export type LineWindow = {
  lines: string[];
  totalLines: number;
  nextChar: number | null;
};

/**
 * Collects a window of lines from text that arrives in pieces, and counts the rest. Memory is bounded by
 * `maxChars`, however long the lines are. A line that does not fit is left for the next read, but the first
 * one, which is cut.
 */
export function createLineWindow(query: WindowQuery): { push(text: string): void; end(): LineWindow } {
  const lines: string[] = [];
  let budget = query.maxChars;
  let open = true;
  let nextChar: number | null = null;
  let lineNumber = 1;
  let lineChars = 0;
  let kept = "";

  const wanted = (): boolean =>
    open && lineNumber >= query.firstLine && lines.length < query.maxLines && nextChar === null;
  const skip = (): number => (lineNumber === query.firstLine ? query.startChar : 0);

  const take = (text: string): void => {
    if (wanted() && kept.length <= budget) {
      const from = Math.max(0, skip() - lineChars);
      kept += text.slice(from, from + budget + 2 - kept.length);
    }
    lineChars += text.length;
  };
  const finishLine = (): void => {
    if (wanted()) keepLine();
    lineNumber += 1;
    lineChars = 0;
    kept = "";
  };
  const keepLine = (): void => {
    const whole = skip() + kept.length >= lineChars;
    const line = whole && kept.endsWith("\r") ? kept.slice(0, -1) : kept;
    if (line.length <= budget && whole) {
      lines.push(line);
      budget -= line.length + 1;
      open = budget > 0;
    } else if (lines.length === 0) {
      const cut = sliceWhole(line, 0, budget);
      lines.push(cut);
      nextChar = skip() + cut.length;
    } else {
      open = false;
    }
  };

  return {
    push(text) {
      let start = 0;
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
        take(text.slice(start, at));
        finishLine();
        start = at + 1;
      }
      if (start < text.length) take(text.slice(start));
    },
    end() {
      if (lineChars > 0) finishLine();
      return { lines, totalLines: lineNumber - 1, nextChar };
    },
  };
}

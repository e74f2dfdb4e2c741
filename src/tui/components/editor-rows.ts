import type { Editor } from "../input/editor.ts";
import { cutLine, type Line, span } from "../text/line.ts";
import { clusters, clusterWidth } from "../text/width.ts";

export type EditorRows = { rows: Line[]; caret: { row: number; column: number } };

/** The editor as rows with the place of its cursor; `drawCaret` paints a caret there as well. */
export function editorRows(
  editor: Editor,
  options: { mark: string; width: number; maxRows: number; drawCaret: boolean; placeholder: string },
): EditorRows {
  const { mark, width } = options;
  const indent = " ".repeat(mark.length);
  const rows: Line[] = [[span("accent", mark)]];
  let used = mark.length;
  let at = 0;
  let caret = { row: 0, column: used };
  const breakRow = (): void => {
    rows.push([span("plain", indent)]);
    used = mark.length;
  };
  const put = (text: string, isCaret: boolean): void => {
    const row = rows.at(-1);
    const last = row?.at(-1);
    const style = isCaret && options.drawCaret ? "caret" : "plain";
    if (last && row && row.length > 1 && last.style === style)
      row[row.length - 1] = { style, text: last.text + text };
    else row?.push({ style, text });
  };
  for (const cluster of clusters(editor.text)) {
    const here = at === editor.cursor;
    if (cluster === "\n") {
      if (here) {
        caret = { row: rows.length - 1, column: used };
        if (options.drawCaret) put(" ", true);
      }
      breakRow();
    } else {
      const cells = clusterWidth(cluster);
      if (used + cells > width) breakRow();
      if (here) caret = { row: rows.length - 1, column: used };
      put(cluster, here);
      used += cells;
    }
    at += cluster.length;
  }
  if (editor.cursor >= editor.text.length) {
    if (used >= width) breakRow();
    caret = { row: rows.length - 1, column: used };
    if (options.drawCaret) put(" ", true);
  }
  const [firstRow] = rows;
  if (editor.text === "" && firstRow) {
    const hint = options.drawCaret ? options.placeholder.slice(1) : options.placeholder;
    rows[0] = cutLine([...firstRow, span("dim", hint)], width);
  }
  const first = Math.max(0, Math.min(caret.row - options.maxRows + 1, rows.length - options.maxRows));
  return {
    rows: rows.slice(first, first + options.maxRows),
    caret: { row: caret.row - first, column: caret.column },
  };
}

import { liveCallLine } from "../blocks/call-lines.ts";
import { below, compose, type Last } from "../blocks/compose.ts";
import { partLines } from "../blocks/render-block.ts";
import { completionRows } from "../components/completion-rows.ts";
import { dialogRows } from "../components/dialog.ts";
import { editorRows } from "../components/editor-rows.ts";
import { pickerRows } from "../components/picker.ts";
import { statusLine, workingLine } from "../components/status-line.ts";
import { todoRows } from "../components/todo-rows.ts";
import type { Frame } from "../markdown/frame.ts";
import { tailPart } from "../markdown/stream.ts";
import type { Picture } from "../terminal/live-area.ts";
import { fitRows } from "../terminal/live-area.ts";
import { cutLine, type Line, span } from "../text/line.ts";
import type { View } from "../view-state/view.ts";
import type { Ui } from "./ui.ts";

/** The whole screen from its state, and what then stands last in the scrollback. Pure. */
export function pictureOf(
  view: View,
  ui: Ui,
  place: { columns: number; rows: number; last: Last; now: number },
  frame: Frame,
): { picture: Picture; last: Last } {
  const { rows: commit, last } = compose(view.finished, place.last, frame);
  const input = inputRows(view, ui, place.rows, frame, place.now);
  const growing = below(growingRows(view, ui, frame, { now: place.now, last }), last);
  const apart = last.blank || growing.length > 0 ? [] : [[]];
  const { live } = fitRows([...growing, ...apart], input.rows, place.rows - 1);
  const above = live.length - input.rows.length;
  const caret = { row: Math.max(0, above + input.caret.row), column: input.caret.column };
  return { picture: { commit, live, caret, park: input.park && caret.row > 0 }, last };
}

function growingRows(view: View, ui: Ui, frame: Frame, { now, last }: { now: number; last: Last }): Line[] {
  const rows: Line[] = [];
  const { streaming } = view;
  if (streaming) {
    if (streaming.received === "" && streaming.thinking.trim() !== "") {
      const words = streaming.thinking.trim().replace(/\s+/g, " ");
      const shown = words.slice(-Math.max(10, frame.width - 14));
      rows.push(cutLine([span("dim", `${frame.glyphs.thinking} thinking: ${shown}`)], frame.width));
    }
    const tail = tailPart(streaming.text);
    if (tail) rows.push(...partLines(tail, frame));
  }
  const open = view.calls.some(({ call }) => call.status !== "done");
  if (open && (rows.length > 0 || last.kind !== "tools")) rows.push([]);
  for (const { number, call } of view.calls) {
    if (call.status !== "done") rows.push(liveCallLine(call, number, now, ui.spin, frame));
    if (view.progress?.callId === call.id) rows.push(...progressRows(view.progress.text, frame));
  }
  const working = workingLine(view, now, ui.spin, frame);
  if (working) rows.push([], working, ...todoRows(view.todos, frame));
  return rows;
}

function progressRows(text: string, frame: Frame): Line[] {
  return text
    .split("\n")
    .slice(-3)
    .map((line) => cutLine([span("plain", "    "), span("dim", line)], frame.width, frame.glyphs.ellipsis));
}

type Input = { rows: Line[]; caret: { row: number; column: number }; park: boolean };

/** Dialog or picker, waiting prompts, editor, what can be completed, status. */
function inputRows(view: View, ui: Ui, windowRows: number, frame: Frame, now: number): Input {
  const maxRows = Math.max(3, Math.floor(windowRows / 2));
  const writing =
    view.approvals.length > 0 && ui.editor.text !== "" && view.approvals[0]?.kind !== "question";
  const hint = ui.hint ?? (writing ? "send or clear (Ctrl-C) what you write, then answer" : null);
  const status = statusLine(view, hint, frame);
  if (ui.picker) {
    const rows = [...pickerRows(ui.picker, windowRows - 3, frame, now), status];
    return { rows, caret: { row: 0, column: 0 }, park: true };
  }
  const approval = view.approvals[0];
  const dialog = approval ? dialogRows(approval, view.approvals.length - 1, windowRows - 8, frame) : [];
  const asksWords = approval !== undefined && (ui.word !== null || approval.kind === "question");
  const queue = view.queue.map((item) =>
    cutLine(
      [span("dim", `${item.delivery === "steer" ? "next" : "later"}: ${item.text.replaceAll("\n", " ")}`)],
      frame.width,
      frame.glyphs.ellipsis,
    ),
  );
  if (queue.length > 0) queue.push([span("dim", "  Up takes the last waiting prompt back")]);
  const editor = ui.word ? ui.word.editor : ui.editor;
  const park = view.turn !== null;
  const edit = editorRows(editor, {
    mark: ui.word ? "no, because: " : `${frame.glyphs.user} `,
    width: frame.width,
    maxRows,
    drawCaret: park && (!approval || asksWords || editor.text !== ""),
    placeholder: approval && !asksWords ? "" : view.turn ? " steer with Enter, queue with Alt-Enter" : "",
  });
  const search = ui.search
    ? [
        [
          span("accent", `history: ${ui.search.query}`),
          span("dim", "  Ctrl-R older, Enter takes, Esc leaves"),
        ],
      ]
    : [];
  const before = [...dialog, ...queue];
  const rows = [...before, ...edit.rows, ...search, ...completionRows(ui.completion, frame), status];
  return { rows, caret: { row: before.length + edit.caret.row, column: edit.caret.column }, park };
}

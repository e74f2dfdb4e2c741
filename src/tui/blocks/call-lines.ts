import type { JsonObject } from "../../protocol/ids.ts";
import type { ToolResultBlock } from "../../protocol/message.ts";
import type { CallRecord } from "../../protocol/session.ts";
import { cutText, plural, stripControls } from "../../shared/text.ts";
import type { Frame } from "../markdown/frame.ts";
import { cutLine, type Line, span, wrap } from "../text/line.ts";
import type { Style } from "../theme/style.ts";
import type { DoneCall } from "./block.ts";
import { patchLines } from "./diff-lines.ts";
import { seconds } from "./numbers.ts";

const ARGUMENTS_SHOWN = 120;
const OUTPUT_ROWS = 4;
const DIFF_ROWS = 30;

/** The one thing that tells what a call is about: its command, path, query; else its arguments. */
export function callSubject(input: JsonObject): string {
  for (const key of ["command", "path", "file_path", "pattern", "query", "url", "question"]) {
    const value = input[key];
    if (typeof value === "string") return oneLine(value);
  }
  const whole = JSON.stringify(input);
  return whole === "{}" ? "" : oneLine(whole);
}

function oneLine(text: string): string {
  return cutText(stripControls(text).replace(/\s*\n\s*/g, " "), ARGUMENTS_SHOWN, "...");
}

/** A call that has not ended: one row. `spin` counts the spinner's steps. */
export function liveCallLine(
  call: CallRecord,
  number: number,
  now: number,
  spin: number,
  frame: Frame,
): Line {
  const { glyphs } = frame;
  const running = call.status === "running";
  const mark = running ? (glyphs.running[spin % glyphs.running.length] ?? "") : glyphs.waiting;
  const state =
    call.status === "running"
      ? ` ${seconds(now - call.startedAt)}`
      : call.status === "awaiting_approval"
        ? " waits for your answer"
        : "";
  return cutLine(
    [span(running ? "accent" : "dim", `${mark} `), ...callName(call, number), span("dim", state)],
    frame.width,
    glyphs.ellipsis,
  );
}

function callName(call: Pick<CallRecord, "name" | "input">, number: number): Line {
  return [
    span("dim", `${number} `),
    span("bold", stripControls(call.name)),
    span("plain", ` ${callSubject(call.input)}`),
  ];
}

/** A finished call: its line, and its output folded to a few rows. */
export function doneCallLines(call: DoneCall, number: number, frame: Frame): Line[] {
  const { glyphs } = frame;
  const looks: Record<ToolResultBlock["status"], readonly [Style, string, string]> = {
    ok: ["ok", glyphs.done, ""],
    error: ["error", glyphs.failed, " failed"],
    denied: ["warning", glyphs.denied, " denied"],
    interrupted: ["warning", glyphs.denied, " interrupted"],
    unknown: ["warning", glyphs.failed, " ended without a result"],
  };
  const [style, mark, word] = looks[call.result.status];
  const display = call.result.display;
  const whole = call.startedAt === undefined ? 0 : call.finishedAt - call.startedAt;
  const took = display?.type === "command" ? display.durationMs : whole;
  const exit = display?.type === "command" && display.exitCode ? ` exit code ${display.exitCode}` : "";
  const head: Line = [
    span(style, `${mark} `),
    ...callName(call, number),
    span(style, exit === "" ? word : ""),
    span("error", exit),
    span("dim", took >= 1000 ? ` ${seconds(took)}` : ""),
  ];
  const rows = wrap(head, frame.width, { rest: [span("plain", "    ")] });
  return [...rows, ...outputLines(call, frame)];
}

function outputLines(call: DoneCall, frame: Frame): Line[] {
  const { display, status } = call.result;
  if (display?.type === "diff" && status === "ok") {
    const lines = patchLines(stripControls(display.patch), frame);
    return folded(lines, DIFF_ROWS, frame);
  }
  const text = resultText(call.result);
  if (text === "") return [];
  const style: Style = status === "error" ? "error" : "dim";
  const rows = text
    .split("\n")
    .map((line) => cutLine([span("plain", "    "), span(style, line)], frame.width, frame.glyphs.ellipsis));
  return folded(rows, OUTPUT_ROWS, frame);
}

/** What a result says, safe to draw; the whole of what the model was told. */
export function resultText(result: ToolResultBlock): string {
  if (result.display?.type === "summary") return stripControls(result.display.text).trimEnd();
  const texts = result.content.map((block) => (block.type === "text" ? block.text : "[image]"));
  return stripControls(texts.join("\n")).trimEnd();
}

function folded(rows: Line[], shown: number, frame: Frame): Line[] {
  if (rows.length <= shown + 1) return rows;
  const more = `    ${frame.glyphs.ellipsis} ${plural(rows.length - shown, "more line")} (Ctrl-O shows all)`;
  return [...rows.slice(0, shown), [span("dim", more)]];
}

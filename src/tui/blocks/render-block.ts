import type { Outcome } from "../../protocol/session.ts";
import { plural, stripControls } from "../../shared/text.ts";
import type { Frame } from "../markdown/frame.ts";
import { codeLines, markdownLines } from "../markdown/render.ts";
import type { Part } from "../markdown/stream.ts";
import { cutLine, type Line, span, wrap } from "../text/line.ts";
import type { Style } from "../theme/style.ts";
import type { Block } from "./block.ts";
import { callSubject, doneCallLines } from "./call-lines.ts";

/** A finished block as rows for the scrollback; a blank row before it where it begins something new. */
export function blockLines(block: Block, frame: Frame): Line[] {
  switch (block.type) {
    case "welcome":
      return welcomeLines(block, frame);
    case "prompt":
      return [[], ...textRows(block.text, "prompt", frame, `${frame.glyphs.user} `), []];
    case "part":
      return partLines(block.part, frame);
    case "thinking":
      return [
        cutLine(
          [span("dim", `${frame.glyphs.thinking} thought: ${firstLine(block.text)}`)],
          frame.width,
          frame.glyphs.ellipsis,
        ),
      ];
    case "call":
      return doneCallLines(block.call, block.number, frame);
    case "answered":
      return answeredLines(block.approval, frame);
    case "notice":
      return textRows(block.text, noticeStyle(block.level), frame);
    case "text":
      return [[], [span("bold", block.title)], ...textRows(block.text, "plain", frame), []];
    case "turn_end":
      return turnEndLines(block, frame);
  }
}

/** A part of an answer; Markdown and code of the model, made safe to draw. */
export function partLines(part: Part, frame: Frame): Line[] {
  const gap: Line[] = part.gap ? [[]] : [];
  if (part.type === "code") return [...gap, ...codeLines(part.lines, part.language, part.state, frame)];
  return [...gap, ...markdownLines(part.text, frame)];
}

/** Plain text as rows; `mark` stands before the first, blanks of its width before the others. */
export function textRows(text: string, style: Style, frame: Frame, mark = ""): Line[] {
  const rest = [span("plain", " ".repeat(mark.length))];
  return stripControls(text)
    .split("\n")
    .flatMap((line, index) =>
      wrap([span(style, line)], frame.width, { first: index === 0 ? [span("accent", mark)] : rest, rest }),
    );
}

function firstLine(text: string): string {
  return stripControls(text).trim().replace(/\s+/g, " ").slice(0, 400);
}

function noticeStyle(level: "info" | "warning" | "error"): Style {
  return level === "info" ? "dim" : level;
}

function welcomeLines(block: Extract<Block, { type: "welcome" }>, frame: Frame): Line[] {
  const dot = ` ${frame.glyphs.dot} `;
  const sandbox = sandboxWords(block.sandbox);
  const first: Line = [
    span("heading", `lathe ${block.version}`),
    span("dim", dot),
    span("plain", stripControls(block.cwd)),
  ];
  const second: Line = [
    span("plain", stripControls(block.model)),
    span("dim", `${dot}mode ${block.mode}${dot}`),
    span(sandbox.style, sandbox.text),
  ];
  const third: Line = [span("dim", `/help for help${dot}/exit, Ctrl-D or Ctrl-C to quit`)];
  const more: Line[] = block.resumed ? [[span("dim", `going on with session ${block.sessionId}`)]] : [];
  return [...[first, second, third, ...more].flatMap((line) => wrap(line, frame.width)), []];
}

/** The state of the sandbox in a few words. */
export function sandboxWords(sandbox: Extract<Block, { type: "welcome" }>["sandbox"]): {
  text: string;
  style: Style;
} {
  switch (sandbox.type) {
    case "ready":
      return { text: `sandbox ${sandbox.kind}`, style: "ok" };
    case "off":
      return { text: "no sandbox", style: "warning" };
    case "unavailable":
      return { text: `commands refused: no sandbox (${sandbox.reason}); ${sandbox.mend}`, style: "error" };
  }
}

function answeredLines(approval: Extract<Block, { type: "answered" }>["approval"], frame: Frame): Line[] {
  const { answer, status } = approval;
  const allowed = status === "approved";
  const how =
    answer?.type === "allow"
      ? { once: "once", task: "for this task", project: "for this project", everywhere: "always" }[
          answer.scope
        ]
      : answer?.type === "deny" && answer.message
        ? `, telling the model: ${answer.message}`
        : answer?.type === "reply"
          ? `: ${answer.text}`
          : "";
  const verb =
    status === "cancelled"
      ? "question withdrawn"
      : answer?.type === "reply"
        ? "answered"
        : allowed
          ? "allowed"
          : "denied";
  const what = approval.kind === "tool" ? `${approval.tool} ${callSubject(approval.input)}` : approval.title;
  const text = `${verb}${how.startsWith(",") || how.startsWith(":") || how === "" ? how : ` ${how}`} ${frame.glyphs.dot} ${stripControls(what)}`;
  return [
    cutLine(
      [
        span(allowed ? "ok" : "warning", `${allowed ? frame.glyphs.done : frame.glyphs.denied} `),
        span("dim", text.replaceAll("\n", " ")),
      ],
      frame.width,
      frame.glyphs.ellipsis,
    ),
  ];
}

function turnEndLines(block: Extract<Block, { type: "turn_end" }>, frame: Frame): Line[] {
  const { text, style } = outcomeWords(block.outcome);
  const rows = text === "" ? [] : textRows(text, style, frame);
  return [...rows, ...wrap([span("dim", block.facts)], frame.width), []];
}

/** How a turn ended, for people; empty for one that is simply done. */
export function outcomeWords(outcome: Outcome): { text: string; style: Style } {
  switch (outcome.type) {
    case "done":
      return { text: "", style: "plain" };
    case "failed":
      return { text: `failed: ${outcome.error.message}`, style: "error" };
    case "limit":
      return {
        text: `stopped: the limit of ${outcome.limit.replace("_", " ")} is reached`,
        style: "warning",
      };
    case "interrupted":
      return {
        text: outcome.by === "user" ? "interrupted" : `interrupted (${outcome.by.replace("_", " ")})`,
        style: "warning",
      };
    case "denied":
    case "schema":
    case "refused":
    case "cut":
      return {
        text: `${outcome.type}: ${outcome.message}`,
        style: outcome.type === "denied" ? "warning" : "error",
      };
  }
}

/** `3 steps`, `2 tool calls`, time and tokens of a turn. */
export function countWords(steps: number, toolCalls: number): string {
  return toolCalls > 0
    ? `${plural(steps, "step")}, ${plural(toolCalls, "tool call")}`
    : plural(steps, "step");
}

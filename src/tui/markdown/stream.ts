import { lexer, type Token, type Tokens } from "marked";
import { type CodeState, highlightLine } from "./highlight.ts";

/** A finished part of a message, ready for the scrollback. */
export type Part =
  | { type: "markdown"; text: string; gap: boolean }
  | { type: "code"; language: string; lines: string[]; state: CodeState; gap: boolean };

/** A message that streams: what is finished is handed out and forgotten. */
export type TextStream = {
  /** The unfinished block, raw. */
  tail: string;
  /** Set while the tail lies in a fence that was handed out in part. */
  fence: { marker: string; language: string; state: CodeState } | null;
  /** A blank line comes before the next part. */
  gap: boolean;
};

export const EMPTY_STREAM: TextStream = { tail: "", fence: null, gap: true };

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*\n/;

/** Takes more text; gives the parts that cannot change any more. Lexes only the unfinished block. */
export function advance(stream: TextStream, text: string): { stream: TextStream; parts: Part[] } {
  const parts: Part[] = [];
  let now: TextStream = { ...stream, tail: stream.tail + text };
  // Only a finished line can finish anything.
  if (text !== "" && !text.includes("\n")) return { stream: now, parts };
  for (;;) {
    const step = now.fence ? inFence(now, now.fence) : outside(now);
    if (!step) return { stream: now, parts };
    parts.push(...step.parts);
    now = step.stream;
  }
}

/** The rest, at the end of the message. */
export function finish(stream: TextStream): Part[] {
  if (stream.tail === "") return [];
  const ended = advance(stream, stream.tail.endsWith("\n") ? "" : "\n");
  const { tail, fence, gap } = ended.stream;
  if (fence || tail.trim() === "") return ended.parts;
  return [...ended.parts, { type: "markdown", text: tail, gap }];
}

/** What can be shown of the unfinished block. */
export function tailPart(stream: TextStream): Part | null {
  if (stream.tail === "") return null;
  if (!stream.fence)
    return stream.tail.trim() === "" ? null : { type: "markdown", text: stream.tail, gap: stream.gap };
  if (isFencePrefix(stream.tail, stream.fence.marker)) return null;
  return {
    type: "code",
    language: stream.fence.language,
    lines: [stream.tail],
    state: stream.fence.state,
    gap: false,
  };
}

type Step = { stream: TextStream; parts: Part[] } | null;

function inFence(stream: TextStream, fence: NonNullable<TextStream["fence"]>): Step {
  const end = stream.tail.lastIndexOf("\n");
  if (end < 0) return null;
  const lines = stream.tail.slice(0, end).split("\n");
  const close = lines.findIndex((line) => isClose(line, fence.marker));
  const code = close < 0 ? lines : lines.slice(0, close);
  let { state } = fence;
  for (const line of code) state = highlightLine(line, fence.language, state).state;
  const parts: Part[] =
    code.length > 0
      ? [{ type: "code", language: fence.language, lines: code, state: fence.state, gap: stream.gap }]
      : [];
  if (close < 0) {
    return { stream: { tail: stream.tail.slice(end + 1), fence: { ...fence, state }, gap: false }, parts };
  }
  const used = lines.slice(0, close + 1).join("\n").length + 1;
  return { stream: { tail: stream.tail.slice(used), fence: null, gap: true }, parts };
}

function outside(stream: TextStream): Step {
  const text = stream.tail.replace(/^(?:[ \t]*\n)+/, "");
  const opening = FENCE.exec(text);
  if (opening) {
    const [whole, marker = "```", language = ""] = opening;
    return {
      stream: { tail: text.slice(whole.length), fence: { marker, language, state: null }, gap: true },
      parts: [],
    };
  }
  if (text !== "" && !text.includes("\n")) return null;
  const tokens = lexer(text).filter((token) => token.raw !== "");
  const solid = tokens.filter((token) => token.type !== "space");
  const last = solid.at(-1);
  if (!last) return null;
  if (solid.length > 1) {
    const done = tokens.slice(0, tokens.lastIndexOf(last));
    return taken(stream, text, done.map((token) => token.raw).join(""), true);
  }
  if (
    endsItself(last) ||
    (last.type === "paragraph" && /\n[ \t]*\n/.test(text.slice(last.raw.trimEnd().length)))
  ) {
    return taken(stream, text, text.slice(0, text.indexOf(last.raw) + last.raw.length), true);
  }
  return last.type === "list" ? listItems(stream, text, last as Tokens.List) : null;
}

/** All items but the last one of a list that still grows. */
function listItems(stream: TextStream, text: string, list: Tokens.List): Step {
  const done = list.items.slice(0, -1);
  if (done.length === 0) return null;
  return taken(stream, text, done.map((item) => item.raw).join(""), false);
}

function taken(stream: TextStream, text: string, raw: string, gapAfter: boolean): Step {
  if (raw === "" || !text.startsWith(raw)) return null;
  return {
    stream: { tail: text.slice(raw.length), fence: null, gap: gapAfter },
    parts: raw.trim() === "" ? [] : [{ type: "markdown", text: raw, gap: stream.gap }],
  };
}

function endsItself(token: Token): boolean {
  return (token.type === "heading" && token.raw.startsWith("#")) || token.type === "hr";
}

function isClose(line: string, marker: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= marker.length && trimmed === (marker[0] ?? "`").repeat(trimmed.length);
}

function isFencePrefix(text: string, marker: string): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed === (marker[0] ?? "`").repeat(trimmed.length);
}

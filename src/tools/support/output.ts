import type { ToolDisplay } from "../../protocol/message.ts";
import type { FileChange, PortError } from "../../protocol/ports.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { sliceWhole, wellFormed } from "../../shared/text.ts";

/** A text result; an empty text becomes `(no output)`. */
export function textOutput(text: string, display?: ToolDisplay): ToolOutput {
  return { status: "ok", content: [block(text)], ...(display ? { display } : {}) };
}

/** A failed call, in words the model can act on. */
export function errorOutput(text: string): ToolOutput {
  return { status: "error", content: [block(text)] };
}

/** A port's refusal as a failed call; what is not run for want of a sandbox counts as denied. */
export function portFailure(error: PortError): ToolOutput {
  const output = errorOutput(`Error: ${error.message}`);
  return error.code === "no_sandbox" ? { ...output, status: "denied" } : output;
}

const block = (text: string) => ({ type: "text" as const, text: wellFormed(text) || "(no output)" });

/** The diff of a change for the screen; absent when there is none to show. */
export function diffDisplay(path: string, change: FileChange): ToolDisplay | undefined {
  if (change.patch === "") return undefined;
  const { patch, added, removed } = change;
  return { type: "diff", path, patch, added, removed };
}

/** Keeps head and tail of a long text with a note of what was cut between; at most `max` characters. */
export function cutMiddle(text: string, max: number): { text: string; cut: number } {
  if (text.length <= max) return { text, cut: 0 };
  const room = Math.max(0, max - 80);
  const head = sliceWhole(text, 0, Math.ceil(room * 0.4));
  const tail = sliceWhole(text, text.length - (room - head.length), text.length);
  const cut = text.length - head.length - tail.length;
  return { text: `${head}\n... (${cut} characters cut here) ...\n${tail}`, cut };
}

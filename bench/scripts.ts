import { readFileSync } from "node:fs";
import type { RecordedRequest, Turn } from "../src/demo/scripted-model/types.ts";

export const DONE: Turn = { text: "done" };
const ECHOED = "the-shell-ran";

export type Block = { type: string; text?: string; content?: unknown; is_error?: boolean };
export type Body = {
  system?: unknown;
  tools?: unknown;
  messages: { role: string; content: string | Block[] }[];
};

export const bodyOf = (request: RecordedRequest): Body => request.body as Body;

/** Results of tool calls in the conversation, oldest first. */
export function results(request: RecordedRequest): Block[] {
  return bodyOf(request).messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((block) => block.type === "tool_result"),
  );
}

/** The text of a result, however it is wrapped. */
export function resultText(block: Block | undefined): string {
  const content = block?.content;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: Block) => part.text ?? "").join("") : "";
}

/** The prompt that the last answerless turn began with holds this text. */
export function wasAsked(request: RecordedRequest, text: string): boolean {
  const user = bodyOf(request).messages.filter(({ role }) => role === "user");
  return JSON.stringify(user).includes(text);
}

export const shell = (command: string): Turn => ({ calls: [{ name: "bash", input: { command } }] });

/** Rounds of tool calls since the last prompt. */
export function rounds(request: RecordedRequest): number {
  const { messages } = bodyOf(request);
  const isRound = ({ content }: Body["messages"][number]): boolean =>
    Array.isArray(content) && content.some((block) => block.type === "tool_result");
  const lastPrompt = messages.findLastIndex((message) => message.role === "user" && !isRound(message));
  return messages.slice(lastPrompt).filter(isRound).length;
}

/** Steps of a run, and what its file holds when all were done. */
export type Steps = { script: (request: RecordedRequest) => Turn; fileNow(): string };

const step = (round: number, from: string, to: string): Turn => {
  if (round % 3 === 0) return shell(`echo ${ECHOED}`);
  if (round % 3 === 1) return { calls: [{ name: "read_file", input: { path: "a.txt" } }] };
  return { calls: [{ name: "edit_file", input: { path: "a.txt", old_text: from, new_text: to } }] };
};

const fileWith = (word: string): string => `alpha\n${word}\ngamma\n`;

/** Shell, read and edit in turn, for so many steps; each edit makes content that was never there. */
export function steps(count: number): Steps {
  let edits = 0;
  const word = (): string => (edits === 0 ? "beta" : `beta-${edits}`);
  return {
    script(request) {
      const round = rounds(request);
      if (round >= count) return DONE;
      const from = word();
      if (round % 3 === 2) edits += 1;
      return step(round, from, word());
    },
    fileNow: () => fileWith(word()),
  };
}

/** The same for several conversations at once, each with a file of its own: edits go to and fro. */
export function toAndFro(count: number): Steps {
  return {
    script(request) {
      const round = rounds(request);
      const even = Math.floor(round / 3) % 2 === 0;
      return round >= count ? DONE : step(round, even ? "beta" : "delta", even ? "delta" : "beta");
    },
    fileNow: () => fileWith(Math.floor(count / 3) % 2 === 0 ? "beta" : "delta"),
  };
}

/** Throws unless every step of a run did its work. */
export function checkSteps(
  last: RecordedRequest | undefined,
  count: number,
  file: string,
  wanted: string,
): void {
  if (!last) throw new Error("the run made no request");
  const all = results(last).slice(-count);
  if (all.length !== count) throw new Error(`the run has ${all.length} results, not ${count}`);
  all.forEach((block, index) => {
    const text = resultText(block);
    const [kind, part] = [
      ["shell", ECHOED],
      ["read", "gamma"],
      ["edit", ""],
    ][index % 3] as [string, string];
    if (block.is_error || !text.includes(part)) throw new Error(`step ${index} (${kind}) failed: ${text}`);
  });
  const found = readFileSync(file, "utf8");
  if (found !== wanted) throw new Error(`the edits left ${JSON.stringify(found)}`);
}

/** Milliseconds from each answer's end to the request that follows it. */
export function gaps(run: readonly RecordedRequest[]): number[] {
  return run.slice(1).map((request, index) => request.at - (run[index]?.answeredAt ?? Number.NaN));
}

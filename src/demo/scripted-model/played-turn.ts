import { sliceWhole } from "../../shared/text.ts";
import { thinkingSeal } from "./seal.ts";
import type { ScriptedBlock, ScriptedCall, ScriptedUsage, Turn } from "./types.ts";

/** A turn made ready for a wire: blocks in order, cut into deltas, with ids and usage. */
export type PlayedTurn = {
  /** Counts up over the server's life; wires make their message id of it. */
  number: number;
  model: string;
  blocks: PlayedBlock[];
  /** Anthropic's word, or whatever the script says. */
  stop: string | null;
  usage: ScriptedUsage | null;
  startUsage: unknown;
  endUsage: unknown;
};

export type PlayedBlock =
  | { type: "text"; text: string; chunks: string[] }
  | { type: "thinking"; text: string; chunks: string[]; seal: string }
  | { type: "redacted_thinking"; seal: string }
  | { type: "call"; call: ScriptedCall; id: string | null; args: string; chunks: string[] };

/** `position` numbers the request; `requestChars` is only used to estimate usage. */
export function playTurn(
  turn: Turn,
  position: { number: number; model: string; requestChars: number },
): PlayedTurn {
  const cut = chunkCutter(turn);
  const callIds = callIdSource(position.number);
  const blocks = blocksOf(turn).map((block) => playedBlock(block, position.model, cut, callIds));
  const calls = blocks.some((block) => block.type === "call");
  const chars = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  return {
    number: position.number,
    model: position.model,
    blocks,
    stop: turn.stop === undefined ? (calls ? "tool_use" : "end_turn") : turn.stop,
    usage:
      turn.usage === undefined
        ? { input: Math.ceil(position.requestChars / 4), output: Math.ceil(chars / 4) }
        : turn.usage,
    startUsage: turn.startUsage,
    endUsage: turn.endUsage,
  };
}

const callIdSource = (request: number): (() => string) => {
  let next = 0;
  return () => `call_${request}_${next++}`;
};

function playedBlock(
  block: ScriptedBlock,
  model: string,
  cut: (text: string) => string[],
  nextId: () => string,
): PlayedBlock {
  switch (block.type) {
    case "text":
      return { ...block, chunks: cut(block.text) };
    case "thinking": {
      const seal = block.signature ?? thinkingSeal(model, block.text);
      return { type: "thinking", text: block.text, chunks: cut(block.text), seal };
    }
    case "redacted_thinking":
      return { type: "redacted_thinking", seal: thinkingSeal(model, "") };
    case "call": {
      const args = block.raw ?? JSON.stringify(block.input ?? {});
      const fresh = nextId();
      return {
        type: "call",
        call: block,
        id: block.id === undefined ? fresh : block.id,
        args,
        chunks: cut(args),
      };
    }
  }
}

function lengthOf(block: PlayedBlock): number {
  if (block.type === "call") return block.args.length;
  return "text" in block ? block.text.length : 0;
}

function blocksOf(turn: Turn): ScriptedBlock[] {
  if (turn.content) return turn.content;
  const blocks: ScriptedBlock[] = [];
  if (turn.thinking !== undefined) blocks.push({ type: "thinking", text: turn.thinking });
  if (turn.text !== undefined) blocks.push({ type: "text", text: turn.text });
  for (const call of turn.calls ?? []) blocks.push({ type: "call", ...call });
  return blocks;
}

/** Cuts texts into deltas, with a cut exactly where the turn holds, breaks off or fails. */
function chunkCutter(turn: Turn): (text: string) => string[] {
  const size = Math.max(1, turn.chunkSize ?? 4);
  const marks = [turn.cut?.after, turn.streamError?.after, turn.hold].filter(
    (mark) => typeof mark === "number",
  );
  let offset = 0;
  return (text) => {
    const chunks: string[] = [];
    for (let at = 0; at < text.length; ) {
      const mark = marks.find((place) => place > offset + at && place < offset + at + size);
      let piece = sliceWhole(text, at, mark === undefined ? at + size : mark - offset);
      if (piece === "") piece = text.slice(at, at + 2); // a pair that is wider than the chunk
      chunks.push(piece);
      at += piece.length;
    }
    offset += text.length;
    return chunks;
  };
}

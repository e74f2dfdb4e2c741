import type { PlayedTurn } from "./played-turn.ts";

/** A piece of an event stream. `chars`: characters of content in it; closing events have `end`. */
export type Frame = { text: string; chars: number; end: boolean };

/** One wire's way of saying a turn. */
export type WireEncoder = {
  frames(turn: PlayedTurn, request: WireRequest): Iterable<Frame>;
  /** The whole answer as one document. */
  document(turn: PlayedTurn): unknown;
  errorBody(type: string, message: string): unknown;
  errorFrame(type: string, message: string): string;
};

/** What encoders look at in a request. */
export type WireRequest = { body: unknown };

export const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
export const opening = (text: string): Frame => ({ text, chars: 0, end: false });
export const closing = (text: string): Frame => ({ text, chars: 0, end: true });

import type { ServerResponse } from "node:http";
import { delay } from "../../shared/async.ts";
import { playTurn } from "./played-turn.ts";
import type { Turn } from "./types.ts";
import type { Frame, WireEncoder, WireRequest } from "./wire.ts";

/** What the player needs beside the turn. `hold` resolves when the turn may go on. */
export type Stage = {
  response: ServerResponse;
  encoder: WireEncoder;
  request: WireRequest & { raw: Uint8Array };
  number: number;
  signal: AbortSignal;
  hold: () => Promise<void>;
};

/** Plays one turn on one response; returns when the response has ended or its client is gone. */
export async function play(turn: Turn, stage: Stage): Promise<void> {
  if (turn.latencyMs) await delay(turn.latencyMs, stage.signal);
  if (turn.hold === "request") await stage.hold();
  if (stage.signal.aborted) return;
  if (turn.error) return sendError(turn.error, stage);
  const body = (stage.request.body ?? {}) as { model?: unknown; stream?: unknown };
  const model = typeof body.model === "string" ? body.model : "scripted-model";
  const played = playTurn(turn, { number: stage.number, model, requestChars: stage.request.raw.length });
  if (turn.json || (body.stream !== true && !turn.raw)) {
    const document = JSON.stringify(stage.encoder.document(played));
    stage.response.writeHead(200, { "content-type": "application/json", ...turn.headers }).end(document);
    return;
  }
  stage.response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    ...turn.headers,
  });
  await stream(turn, turn.raw ? rawFrames(turn.raw) : stage.encoder.frames(played, stage.request), stage);
}

function sendError(error: NonNullable<Turn["error"]>, stage: Stage): void {
  const { status, headers, type = "api_error", message = `scripted error ${status}` } = error;
  const body = error.body === undefined ? stage.encoder.errorBody(type, message) : error.body;
  stage.response.writeHead(status, { "content-type": "application/json", ...headers });
  stage.response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function* rawFrames(raw: unknown[]): Generator<Frame> {
  for (const frame of raw) {
    const text = typeof frame === "string" ? `${frame}\n\n` : `data: ${JSON.stringify(frame)}\n\n`;
    yield { text, chars: 0, end: false };
  }
}

/** Frames are gathered into large writes while nothing asks for a pause: the server must be cheap. */
const BATCH_CHARS = 16_384;

async function stream(turn: Turn, frames: Iterable<Frame>, stage: Stage): Promise<void> {
  const { response, signal } = stage;
  const interval = turn.tokensPerSecond ? 1000 / turn.tokensPerSecond : (turn.delayMs ?? 0);
  const started = performance.now();
  let waiting = "";
  let chars = 0;
  let deltas = 0;
  let held = typeof turn.hold !== "number" && turn.hold !== "end";
  const flush = async (): Promise<void> => {
    const text = waiting;
    waiting = "";
    if (text !== "") await write(response, text, turn.writeSize, signal);
  };
  const reached = (place: number | undefined, end: boolean): boolean =>
    end || (place !== undefined && chars >= place);
  for (const frame of frames) {
    if (signal.aborted) return;
    if (!held && reached(typeof turn.hold === "number" ? turn.hold : undefined, frame.end)) {
      held = true;
      await flush();
      await stage.hold();
    }
    if (turn.streamError && reached(turn.streamError.after, frame.end)) {
      waiting += stage.encoder.errorFrame(turn.streamError.type, turn.streamError.message);
      break;
    }
    if (turn.cut && reached(turn.cut.after, frame.end)) {
      await flush();
      return breakOff(turn.cut.type, response);
    }
    if (interval > 0 && frame.chars > 0 && !frame.end) {
      const due = started + interval * deltas++ - performance.now();
      if (due > 1) {
        await flush();
        await delay(due, signal);
      }
    }
    waiting += frame.text;
    chars += frame.chars;
    if (waiting.length >= BATCH_CHARS) await flush();
  }
  if (turn.cut) {
    await flush();
    return breakOff(turn.cut.type, response);
  }
  if (turn.writeSize !== undefined) await flush();
  response.end(waiting); // together, so that the end does not trail behind as a packet of its own
}

async function breakOff(type: "reset" | "clean", response: ServerResponse): Promise<void> {
  if (type === "clean") {
    response.end();
    return;
  }
  // A moment for the bytes before the reset to be read: a reset may overtake what is still on its way.
  await delay(30);
  response.socket?.resetAndDestroy();
}

async function write(
  response: ServerResponse,
  text: string,
  size: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (size === undefined) {
    if (!response.write(text)) await drained(response, signal);
    return;
  }
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !signal.aborted; at += size) {
    if (!response.write(bytes.subarray(at, at + size))) await drained(response, signal);
    await delay(0); // one TCP segment each, as far as the kernel plays along
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    const finish = (): void => {
      response.off("drain", finish);
      signal.removeEventListener("abort", finish);
      done();
    };
    response.once("drain", finish);
    signal.addEventListener("abort", finish, { once: true });
  });
}

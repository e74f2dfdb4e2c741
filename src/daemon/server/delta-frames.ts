import type { Delta } from "../../protocol/event.ts";
import type { SessionId } from "../../protocol/ids.ts";

/** Merges deltas per frame; the first after a pause goes out at once. */
export type DeltaFrames = {
  add(sessionId: SessionId, delta: Delta): void;
  /** Sends what waits for this session now: a fact must not overtake the text before it. */
  flush(sessionId: SessionId): void;
  close(): void;
};

/** Progress lines kept per frame and session; older ones are replaced by newer ones. */
const MAX_PROGRESS = 64;

/** `send` gets merged deltas, in order per session. The timer runs only while something streams. */
export function createDeltaFrames(
  frameMs: number,
  send: (sessionId: SessionId, delta: Delta) => void,
): DeltaFrames {
  const waiting = new Map<SessionId, Delta[]>();
  let timer: NodeJS.Timeout | null = null;

  const flush = (sessionId: SessionId): void => {
    const deltas = waiting.get(sessionId);
    if (!deltas) return;
    waiting.delete(sessionId);
    for (const delta of deltas) send(sessionId, delta);
  };
  const endFrame = (): void => {
    timer = null;
    if (waiting.size === 0) return;
    for (const sessionId of [...waiting.keys()]) flush(sessionId);
    startFrame();
  };
  const startFrame = (): void => {
    timer = setTimeout(endFrame, frameMs);
    timer.unref();
  };

  return {
    add(sessionId, delta) {
      if (timer === null) {
        send(sessionId, delta);
        startFrame();
        return;
      }
      const deltas = waiting.get(sessionId);
      if (deltas) mergeDelta(deltas, delta);
      else waiting.set(sessionId, [delta]);
    },
    flush,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      waiting.clear();
    },
  };
}

/** Adds a delta to those that wait: text grows, counters and old progress are replaced. */
export function mergeDelta(deltas: Delta[], delta: Delta): void {
  const last = deltas.at(-1);
  if (delta.type === "text" || delta.type === "thinking") {
    if (last?.type === delta.type && last.effectId === delta.effectId) {
      deltas[deltas.length - 1] = { ...delta, text: last.text + delta.text };
      return;
    }
  } else if (delta.type === "tool_call") {
    if (last?.type === "tool_call" && last.effectId === delta.effectId && last.index === delta.index) {
      deltas[deltas.length - 1] = delta;
      return;
    }
  } else if (delta.type === "progress") {
    dropOldProgress(deltas);
  } else {
    const others = deltas.filter(
      (earlier) => !("effectId" in earlier) || earlier.effectId !== delta.effectId,
    );
    deltas.splice(0, deltas.length, ...others);
  }
  deltas.push(delta);
}

function dropOldProgress(deltas: Delta[]): void {
  let count = 0;
  for (const delta of deltas) if (delta.type === "progress") count += 1;
  if (count < MAX_PROGRESS) return;
  deltas.splice(
    deltas.findIndex((delta) => delta.type === "progress"),
    1,
  );
}

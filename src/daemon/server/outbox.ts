import type { Socket } from "node:net";

/** Sizes in characters of JSON, which is close enough to bytes for limits. */
export type OutboxLimits = {
  /** Facts that may wait for a client before it is told to come back later. */
  maxLag: number;
  /** With more than this waiting, deltas are dropped. */
  deltaLag: number;
  /** With more than this waiting, no further request is read. */
  pauseReading: number;
};

/** What waits to be written to one client. Nothing is dropped here but by `endWith`. */
export type Outbox = {
  /**
   * Puts one line in the queue. An answer leaves in the same tick's batch, with all that waits before it; a
   * notification a few milliseconds later, with what came meanwhile: each write wakes the client, and what a
   * step of a turn tells it comes in several pieces. An answer was asked for, so it does not count as lag.
   */
  push(line: string, kind: "answer" | "notification"): void;
  /** Characters that wait because the client does not read. */
  waiting(): number;
  /** The part of them that nobody asked for. */
  lag(): number;
  /** Throws away what waits, sends this line as the last one and ends the connection. */
  endWith(line: string): void;
  /** Sends what waits, then ends. */
  end(): void;
};

const BATCH = 256 * 1024;
const GATHER_MS = 4;

/** `emptied` is called whenever everything that waited has been taken by the socket. */
export function createOutbox(socket: Socket, emptied: () => void): Outbox {
  let lines: { text: string; lag: number }[] = [];
  let waiting = 0;
  let lag = 0;
  let blocked = false;
  let scheduled = false;
  let gathering: NodeJS.Timeout | null = null;
  let ending = false;

  const takeBatch = (): string => {
    let batch = "";
    let count = 0;
    for (const line of lines) {
      if (batch.length >= BATCH) break;
      batch += line.text;
      lag -= line.lag;
      count += 1;
    }
    waiting -= batch.length;
    lines = lines.slice(count);
    return batch;
  };
  const write = (): void => {
    scheduled = false;
    if (gathering !== null) clearTimeout(gathering);
    gathering = null;
    while (!blocked && lines.length > 0 && !socket.destroyed) blocked = !socket.write(takeBatch());
    if (lines.length > 0) return;
    if (ending) socket.end();
    else if (!blocked) emptied();
  };
  socket.on("drain", () => {
    blocked = false;
    write();
  });

  return {
    push(line, kind) {
      if (ending) return;
      const entry = { text: line, lag: kind === "notification" ? line.length : 0 };
      lines.push(entry);
      waiting += line.length;
      lag += entry.lag;
      if (scheduled || blocked) return;
      if (kind === "notification") {
        gathering ??= setTimeout(write, GATHER_MS);
        return;
      }
      scheduled = true;
      queueMicrotask(write);
    },
    waiting: () => waiting,
    lag: () => lag,
    endWith(line) {
      lines = [{ text: line, lag: 0 }];
      waiting = line.length;
      lag = 0;
      ending = true;
      if (!blocked) write();
    },
    end() {
      ending = true;
      if (!blocked) write();
    },
  };
}

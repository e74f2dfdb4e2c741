import type { IncomingMessage } from "node:http";

export type Pump = {
  /** Resolves when something has come or all is over: `null` while more may come, else how it ended. */
  next(): Promise<PumpEnd | null>;
};
export type PumpEnd = { type: "end" } | { type: "broken"; message: string };

/**
 * Hands every piece of an answer to `take` as it arrives, and lets one reader wait for the next piece. Cheaper
 * than iterating over the stream, which copies what has gathered. There is no back pressure: `take` bounds what
 * it keeps.
 */
export function pump(answer: IncomingMessage, take: (chunk: Buffer) => void): Pump {
  let fresh = false;
  let end: PumpEnd | null = null;
  let wake: (() => void) | null = null;
  const stir = (): void => {
    wake?.();
    wake = null;
  };
  const finish = (how: PumpEnd): void => {
    end ??= how;
    stir();
  };
  answer.on("data", (chunk: Buffer) => {
    take(chunk);
    fresh = true;
    stir();
  });
  answer.on("end", () => finish({ type: "end" }));
  answer.on("error", (error) => finish({ type: "broken", message: error.message }));
  const closed = (): void => finish({ type: "broken", message: "the connection was closed" });
  answer.on("close", closed);
  if (answer.destroyed) closed(); // while nobody listened yet
  return {
    async next() {
      if (!fresh && !end) {
        await new Promise<void>((done) => {
          wake = done;
        });
      }
      fresh = false;
      return end;
    },
  };
}

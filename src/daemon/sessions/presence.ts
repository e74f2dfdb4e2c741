import { delay } from "../../shared/async.ts";

/** How long a `-p` client may be gone before its turn is interrupted (DESIGN 2). */
const GRACE_MS = 5000;

/** Which clients are connected, by the stable id that a client process keeps over reconnects. */
export type Presence = {
  arrived(clientId: string): void;
  left(clientId: string): void;
  isHere(clientId: string): boolean;
  /**
   * Calls back when the client is still, or again, gone after the grace; a client that is here: after it left.
   * Gives a function that takes the wish back.
   */
  whenGone(clientId: string, callback: () => void): () => void;
  /** Ends all waiting; for shutdown. */
  close(): void;
};

export function createPresence(graceMs: number = GRACE_MS): Presence {
  const here = new Map<string, number>();
  const callbacks = new Map<string, (() => void)[]>();
  const closing = new AbortController();
  const startGrace = async (clientId: string): Promise<void> => {
    await delay(graceMs, closing.signal);
    if (closing.signal.aborted || here.has(clientId)) return;
    const waiting = callbacks.get(clientId) ?? [];
    callbacks.delete(clientId);
    for (const callback of waiting) callback();
  };
  return {
    arrived: (clientId) => void here.set(clientId, (here.get(clientId) ?? 0) + 1),
    left(clientId) {
      const count = (here.get(clientId) ?? 1) - 1;
      if (count > 0) {
        here.set(clientId, count);
        return;
      }
      here.delete(clientId);
      if (callbacks.has(clientId)) void startGrace(clientId);
    },
    isHere: (clientId) => here.has(clientId),
    whenGone(clientId, callback) {
      callbacks.set(clientId, [...(callbacks.get(clientId) ?? []), callback]);
      if (!here.has(clientId)) void startGrace(clientId);
      return () => {
        const others = (callbacks.get(clientId) ?? []).filter((one) => one !== callback);
        if (others.length > 0) callbacks.set(clientId, others);
        else callbacks.delete(clientId);
      };
    },
    close: () => closing.abort(),
  };
}

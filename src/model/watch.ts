/** Ends a request that is aborted or has been silent for too long. */
export type Watch = {
  signal: AbortSignal;
  /** Something came: the time starts anew. */
  touch(): void;
  expired(): boolean;
  stop(): void;
};

export function createWatch(outer: AbortSignal, timeoutMs: number): Watch {
  const inner = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    inner.abort();
  }, timeoutMs);
  const abort = (): void => inner.abort();
  outer.addEventListener("abort", abort, { once: true });
  if (outer.aborted) inner.abort();
  return {
    signal: inner.signal,
    touch: () => void timer.refresh(),
    expired: () => expired,
    stop() {
      clearTimeout(timer);
      outer.removeEventListener("abort", abort);
    },
  };
}

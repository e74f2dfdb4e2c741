/** Where answers wait until they are let on; a release before its hold counts. */
export type Gate = { hold(signal: AbortSignal): Promise<void>; release(): void };

export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  let permits = 0;
  return {
    hold(signal) {
      if (signal.aborted) return Promise.resolve();
      if (permits > 0) {
        permits -= 1;
        return Promise.resolve();
      }
      return new Promise((done) => {
        const leave = (): void => {
          signal.removeEventListener("abort", gone);
          done();
        };
        const gone = (): void => {
          waiting.splice(waiting.indexOf(leave), 1);
          done();
        };
        signal.addEventListener("abort", gone, { once: true });
        waiting.push(leave);
      });
    },
    release() {
      const first = waiting.shift();
      if (first) first();
      else permits += 1;
    },
  };
}

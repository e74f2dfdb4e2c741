/** Ends the daemon after a time in which nobody needed it. */
export type IdleExit = {
  /** Looks again whether the daemon is idle; call it whenever a client or work came or went. */
  check(): void;
  stop(): void;
};

/**
 * One timer, armed only while `isIdle`; any `check` starts the time anew. `exit` is called once, after the
 * daemon was idle for `idleMs` without a check. `null` = never.
 */
export function createIdleExit(options: {
  idleMs: number | null;
  isIdle(): boolean;
  exit(): void;
}): IdleExit {
  const { idleMs, isIdle, exit } = options;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const disarm = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const fire = (): void => {
    timer = null;
    if (stopped || !isIdle()) return;
    stopped = true;
    exit();
  };
  return {
    check() {
      if (stopped || idleMs === null) return;
      if (!isIdle()) disarm();
      else if (timer === null) timer = setTimeout(fire, idleMs);
      else timer.refresh();
    },
    stop() {
      stopped = true;
      disarm();
    },
  };
}

import { errorMessage } from "../../shared/error.ts";

export type StopReason = "signal" | "asked" | "idle";

/** Ends the daemon in order, once. */
export type Shutdown = {
  /** Runs the steps and exits the process. Later calls join the first. */
  stop(reason: StopReason): Promise<void>;
  readonly stopping: boolean;
};

export type ShutdownOptions = {
  /** In order: stop taking clients, finish commits, end children, close the store, withdraw the lease. */
  steps: { name: string; run(): Promise<void> | void }[];
  log(level: "info" | "error", message: string): void;
  /** SIGHUP: reload what can be reloaded (log file, config). Never ends the daemon. */
  onHangup(): void;
  exit(code: number): void;
  /** What all steps together may take before the process exits anyway; the store survives that too. */
  graceMs?: number;
};

const GRACE_MS = 5000;

/**
 * Installs SIGTERM and SIGINT (stop in order; a second one exits at once) and SIGHUP. A step that fails is
 * logged and does not keep the others from running.
 */
export function installShutdown(options: ShutdownOptions): Shutdown {
  const { log, exit, graceMs = GRACE_MS } = options;
  let running: Promise<void> | null = null;

  const run = async (reason: StopReason): Promise<void> => {
    log("info", `stopping (${reason})`);
    const timer = setTimeout(() => {
      log("error", `not stopped after ${graceMs} ms; exiting anyway`);
      exit(1);
    }, graceMs);
    const failed = await runSteps(options);
    clearTimeout(timer);
    log("info", "stopped");
    exit(failed ? 1 : 0);
  };
  const stop = (reason: StopReason): Promise<void> => {
    running ??= run(reason);
    return running;
  };
  const onSignal = (): void => {
    if (running) exit(1);
    else void stop("signal");
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("SIGHUP", options.onHangup);
  return {
    stop,
    get stopping() {
      return running !== null;
    },
  };
}

async function runSteps({ steps, log }: ShutdownOptions): Promise<boolean> {
  let failed = false;
  for (const step of steps) {
    try {
      await step.run();
    } catch (error) {
      failed = true;
      log("error", `stopping: ${step.name}: ${errorMessage(error)}`);
    }
  }
  return failed;
}

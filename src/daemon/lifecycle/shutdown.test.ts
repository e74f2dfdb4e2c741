import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deferred } from "../../shared/async.ts";
import { installShutdown, type ShutdownOptions } from "./shutdown.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
let before: Map<string, unknown[]>;

beforeEach(() => {
  before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
});
afterEach(() => {
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal)?.includes(listener)) process.removeListener(signal, listener);
    }
  }
});

function install(steps: ShutdownOptions["steps"], graceMs?: number) {
  const seen: string[] = [];
  const ended = deferred<number>();
  const shutdown = installShutdown({
    steps,
    graceMs,
    log: (level, message) => seen.push(`${level}: ${message}`),
    onHangup: () => seen.push("hangup"),
    exit: (code) => {
      seen.push(`exit ${code}`);
      ended.resolve(code);
    },
  });
  return { seen, shutdown, ended: ended.promise };
}

describe("installShutdown", () => {
  it("runs the steps in order, once, whoever asks how often", async () => {
    const order: string[] = [];
    const step = (name: string) => ({ name, run: async () => void order.push(name) });
    const { seen, shutdown } = install([step("server"), step("store")]);
    expect(shutdown.stopping).toBe(false);
    const first = shutdown.stop("idle");
    expect(shutdown.stopping).toBe(true);
    await Promise.all([first, shutdown.stop("asked")]);
    expect(order).toEqual(["server", "store"]);
    expect(seen).toEqual(["info: stopping (idle)", "info: stopped", "exit 0"]);
  });

  it("goes on after a step that fails, and says so with its exit code", async () => {
    const closed: string[] = [];
    const fail = { name: "sessions", run: () => Promise.reject(new Error("disk full")) };
    const { seen, shutdown } = install([fail, { name: "store", run: () => void closed.push("store") }]);
    await shutdown.stop("asked");
    expect(closed).toEqual(["store"]);
    expect(seen).toContain("error: stopping: sessions: disk full");
    expect(seen.at(-1)).toBe("exit 1");
  });

  it("exits when a step hangs longer than the grace", async () => {
    const { ended, shutdown } = install(
      [{ name: "hangs", run: () => new Promise<void>(() => undefined) }],
      20,
    );
    void shutdown.stop("asked");
    expect(await ended).toBe(1);
  });

  it("stops on SIGTERM, at once on a second one, and never on SIGHUP", async () => {
    const { seen, ended } = install([{ name: "hangs", run: () => new Promise<void>(() => undefined) }]);
    process.emit("SIGHUP");
    process.emit("SIGTERM");
    expect(seen).toEqual(["hangup", "info: stopping (signal)"]);
    process.emit("SIGINT");
    expect(await ended).toBe(1);
  });
});

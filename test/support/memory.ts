import { readFileSync } from "node:fs";
import type { Lab } from "./lab.ts";

/** Watches the resident memory of the lab's own processes (client and daemon, not commands); `stop` gives the peak in MB. */
export function memoryPeakMb(lab: Lab): { stop(): number } {
  let peak = 0;
  const sample = (): void => {
    for (const { pid, command } of lab.processes()) {
      if (!command.includes("main.js")) continue;
      try {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      } catch {}
    }
  };
  const timer = setInterval(sample, 100);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

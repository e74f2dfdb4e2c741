import { spawnSync } from "node:child_process";

/** What a start of bare Node takes on a quiet machine of the kind that the cases' times are meant for. */
const QUIET_START_MS = 60;

/**
 * By how much this machine is slower now than a quiet one, at least 1: times that a case allows are multiplied by
 * it, so that other work beside the tests fails none of them.
 */
export function slowness(): number {
  const times = Array.from({ length: 3 }, () => {
    const started = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - started;
  });
  return Math.max(1, (times.sort((a, b) => a - b)[1] ?? 0) / QUIET_START_MS);
}

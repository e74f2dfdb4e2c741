import type { Outcome } from "./session.ts";

/** Exit code of a run that ended so (DESIGN 5, CONVENTIONS 5.9). */
export function exitCodeOf(outcome: Outcome): number {
  switch (outcome.type) {
    case "done":
      return 0;
    case "failed":
      return outcome.error.kind === "authentication"
        ? 41
        : outcome.error.kind === "config"
          ? 52
          : outcome.error.kind === "sandbox"
            ? 44
            : 1;
    case "limit":
      return outcome.limit === "tokens" || outcome.limit === "cost" ? 61 : 53;
    case "denied":
      return 60;
    case "schema":
      return 62;
    case "refused":
      return 63;
    case "cut":
      return 64;
    case "interrupted":
      return outcome.by === "terminated" || outcome.by === "shutdown" ? 143 : 130;
  }
}

/** Exit codes that are no outcome of a turn. */
export const EXIT = {
  usage: 2,
  authentication: 41,
  badInput: 42,
  sandbox: 44,
  config: 52,
  untrusted: 55,
} as const;

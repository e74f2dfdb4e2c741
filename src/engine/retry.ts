const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** Share of a wait that is left to chance, so that many clients do not come back at once. */
const JITTER = 0.25;
/** Each wait grows at least so much over the one before, more than the jitter can take away. */
const GROWTH = 1.5;

export type Wait = {
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** How long the wait before it was. */
  before: number;
  /** The least that the provider asked for. */
  retryAfterMs: number | null;
  /** 0 <= random < 1 */
  random: number;
};

/**
 * Milliseconds to wait before the next attempt: doubling from one second to a minute, never less than the
 * provider asks for, and longer than the wait before, until a minute is reached.
 */
export function waitMs({ attempt, before, retryAfterMs, random }: Wait): number {
  const doubled = FIRST_WAIT_MS * 2 ** (attempt - 1);
  const backoff = Math.min(LONGEST_WAIT_MS, Math.max(doubled, before * GROWTH)) * (1 - JITTER * random);
  const asked = (retryAfterMs ?? 0) * (1 + JITTER * random);
  return Math.ceil(Math.max(backoff, asked));
}

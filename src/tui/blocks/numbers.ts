import type { Usage } from "../../protocol/message.ts";

/** `4s`, `1m 05s`, `2h 03m`. */
export function seconds(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  if (total < 60) return `${total}s`;
  if (total < 3600) return `${Math.floor(total / 60)}m ${String(total % 60).padStart(2, "0")}s`;
  return `${Math.floor(total / 3600)}h ${String(Math.floor((total % 3600) / 60)).padStart(2, "0")}m`;
}

/** `950`, `12.3k`, `4.5M`; `?` when unknown. */
export function tokens(count: number | null): string {
  if (count === null) return "?";
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `$0.0042`, `$1.25`, or that it is not known. */
export function cost(usd: number | null): string {
  if (usd === null) return "cost unknown";
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** All input tokens, cached ones too; null when the provider said nothing. */
export function inputTokens(usage: Usage): number | null {
  const parts = [usage.input, usage.cacheRead, usage.cacheWrite];
  if (parts.every((part) => part === null)) return null;
  return parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}

/** Tokens and cost in a few words. */
export function usageWords(usage: Usage): string {
  return `${tokens(inputTokens(usage))} in, ${tokens(usage.output)} out, ${cost(usage.cost)}`;
}

import type { IncomingHttpHeaders } from "node:http";
import type { FailureInfo, FailureKind } from "../protocol/session.ts";
import { errorCode, errorMessage } from "../shared/error.ts";
import { cutText, wellFormed } from "../shared/text.ts";

/** Why a model call ended without a message. */
export type Failure = { error: FailureInfo; retryable: boolean; retryAfterMs: number | null };

/** Characters of a foreign text that an error message may carry. */
const MESSAGE_CHARS = 1000;

export function failure(
  kind: FailureKind,
  message: string,
  more: { retryable?: boolean; retryAfterMs?: number | null; status?: number } = {},
): Failure {
  const error: FailureInfo = { kind, message: wellFormed(cutText(message, MESSAGE_CHARS, "…")) };
  if (more.status !== undefined) error.status = more.status;
  return { error, retryable: more.retryable ?? false, retryAfterMs: more.retryAfterMs ?? null };
}

const TOO_LONG =
  /context_length_exceeded|prompt is too long|maximum context length|context (?:window|length|limit|size)|input is too long|too many (?:input )?tokens|exceeds? the (?:available )?context/i;
const NO_CREDIT = /insufficient_quota|billing_hard_limit|credit balance|exceeded your current quota/i;

/** An answer with an error status. `text` is its body, `keyHint` where the key came from (never the key). */
export function httpFailure(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
  keyHint: string | null,
): Failure {
  const told = toldError(text);
  const base = told
    ? `${told.message} (HTTP ${status})`
    : `HTTP ${status}: ${cutText(text.trim(), 500, "…")}`;
  const about = `${told?.type ?? ""} ${told?.code ?? ""} ${told?.message ?? text}`;
  const kind = kindOf(status, about);
  const message =
    kind === "authentication"
      ? `authentication failed: ${base}${keyHint ? `; the key came from ${keyHint}` : "; no key was sent"}`
      : status >= 300 && status < 400
        ? `the server redirects to ${headers.location ?? "another place"}; set the base URL to that (HTTP ${status})`
        : base;
  const asked = headers["x-should-retry"];
  const retryable = asked === "true" || asked === "false" ? asked === "true" : isRetryable(status, about);
  return failure(kind, message, { retryable, retryAfterMs: retryAfter(headers), status });
}

function kindOf(status: number, about: string): FailureKind {
  if (status === 401) return "authentication";
  if (status === 403 || status === 402) return "permission";
  if (status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status === 529 || /overloaded/i.test(about)) return "overloaded";
  if (status >= 500 || status === 409) return "server";
  if (TOO_LONG.test(about)) return "context_exceeded";
  return status === 404 ? "not_found" : "invalid_request";
}

const isRetryable = (status: number, about: string): boolean =>
  (status >= 500 || status === 429 || status === 408 || status === 409) && !NO_CREDIT.test(about);

type Told = { message: string; type: string; code: string };

/** The error inside an error body, in any of the shapes that services use; null when there is none. */
export function toldError(text: string): Told | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return toldErrorIn(Array.isArray(value) ? value[0] : value);
}

/** As `toldError`, of a parsed value. */
export function toldErrorIn(value: unknown): Told | null {
  if (typeof value !== "object" || value === null) return null;
  const outer = value as { error?: unknown; message?: unknown; detail?: unknown };
  const inner = typeof outer.error === "object" && outer.error !== null ? outer.error : outer;
  const { message, type, code, status } = inner as Record<string, unknown>;
  const candidates = [message, outer.error, outer.detail, outer.message];
  const found = candidates.find((item) => typeof item === "string" && item !== "") as string | undefined;
  const said =
    found ?? (outer.error || outer.detail ? JSON.stringify(outer.error ?? outer.detail) : undefined);
  return said === undefined
    ? null
    : { message: said, type: wordOf(type) || wordOf(status), code: wordOf(code) };
}

const wordOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** An error event inside a stream: told apart by its words, since there is no status any more. */
export function streamFailure(told: { message: string; type: string; code: string }): Failure {
  const about = `${told.type} ${told.code} ${told.message}`;
  const status = /^[45]\d\d$/.test(told.code) ? Number(told.code) : statusOfType(about);
  const kind = kindOf(status, about);
  return failure(kind, told.message, { retryable: isRetryable(status, about) });
}

function statusOfType(about: string): number {
  if (/overloaded/i.test(about)) return 529;
  if (/rate_limit|too_many_requests/i.test(about)) return 429;
  if (/authentication/i.test(about)) return 401;
  if (/permission/i.test(about)) return 403;
  if (/not_found/i.test(about)) return 404;
  if (/invalid_request|invalid_prompt|bad_request/i.test(about) || TOO_LONG.test(about)) return 400;
  return 500;
}

/** `retry-after-ms`, `retry-after` in seconds or as a date (against the answer's own `date`); in ms or null. */
export function retryAfter(headers: IncomingHttpHeaders): number | null {
  const ms = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] !== undefined && Number.isFinite(ms) && ms >= 0) return Math.ceil(ms);
  const value = headers["retry-after"];
  if (value === undefined) return null;
  const seconds = Number(value);
  if (value.trim() !== "" && Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : null;
  const wait = Date.parse(value) - Date.parse(headers.date ?? "");
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS|ERR_SSL/;

/** A connection that could not be made or broke. `place` is the URL's origin; `local`: on this machine. */
export function networkFailure(error: unknown, place: string, local: boolean): Failure {
  const code = errorCode(error) ?? "";
  if (CERTIFICATE.test(code)) {
    const mend = "if your network has its own certificate authority, name its file in NODE_EXTRA_CA_CERTS";
    return failure("config", `TLS with ${place} failed: ${errorMessage(error)} (${code}); ${mend}`);
  }
  if (code === "ECONNREFUSED" && local) {
    return failure("network", `nothing listens at ${place}; start the model server or set another base URL`);
  }
  if (code === "ENOTFOUND") return failure("network", `the host of ${place} has no address (${code})`);
  const text = errorMessage(error) || code || "connection failed";
  return failure("network", `connection to ${place} failed: ${text}`, { retryable: true });
}

/** The stream ended, in order or by a reset, before the message was complete. */
export const cutFailure = (detail: string): Failure =>
  failure("network", `the answer broke off before its end: ${detail}`, { retryable: true });

export const tooLarge = (limit: number): Failure =>
  failure("too_large", `the answer is larger than ${limit} bytes and was dropped`);

export const interrupted = (): Failure => failure("internal", "interrupted");

/** Replaces secrets in a message, whoever wrote it. */
export function scrub(found: Failure, secrets: string[]): Failure {
  let message = found.error.message;
  for (const secret of secrets) if (secret.length >= 6) message = message.replaceAll(secret, "[key]");
  return message === found.error.message ? found : { ...found, error: { ...found.error, message } };
}

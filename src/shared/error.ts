/** Whom an error's message addresses. */
export type Audience = "user" | "model" | "developer";

/**
 * The one exception class. Expected outcomes are values; this is thrown for bad input at an edge, a broken
 * machine or a bug. `code` is stable; the message names the thing, its place and the way to mend it.
 */
export class AppError extends Error {
  readonly code: string;
  readonly audience: Audience;
  constructor(code: string, message: string, options: { audience?: Audience; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.audience = options.audience ?? "user";
  }
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node error or AppError, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

import type { IncomingMessage } from "node:http";
import { AppError } from "../../shared/error.ts";
import type { RecordedRequest, ScriptedWire } from "./types.ts";

export type Recorder = {
  requests: RecordedRequest[];
  problems: string[];
  record(
    message: IncomingMessage,
    raw: Buffer,
    about: { wire: ScriptedWire; path: string; connection: number },
  ): RecordedRequest;
  /** Milliseconds since the server started. */
  now(): number;
  waitFor(n: number, timeoutMs: number): Promise<RecordedRequest>;
};

/** Keeps every request and wakes those who wait for one. */
export function createRecorder(): Recorder {
  const started = performance.now();
  const requests: RecordedRequest[] = [];
  const problems: string[] = [];
  const waiting = new Set<() => void>();
  const now = (): number => performance.now() - started;
  return {
    requests,
    problems,
    now,
    record(message, raw, about) {
      const at = now();
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(message.headers)) headers[name] = String(value);
      const request: RecordedRequest = {
        index: requests.length,
        ...about,
        method: message.method ?? "",
        headers,
        raw,
        body: parsed(raw),
        at,
        answeredAt: null,
        problems: [],
        aborted: false,
      };
      requests.push(request);
      for (const wake of [...waiting]) wake();
      return request;
    },
    waitFor(n, timeoutMs) {
      return new Promise((found, failed) => {
        const look = (): void => {
          const request = requests[n - 1];
          if (!request) return;
          stop();
          found(request);
        };
        const timer = setTimeout(() => {
          stop();
          const list = problems.length > 0 ? `; problems: ${problems.join("; ")}` : "";
          failed(
            new AppError(
              "no_request",
              `request ${n} did not come within ${timeoutMs} ms; ${requests.length} came${list}`,
            ),
          );
        }, timeoutMs);
        const stop = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

function parsed(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8"));
  } catch {
    return undefined;
  }
}

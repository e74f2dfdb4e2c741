import { describe, expect, it } from "vitest";
import { httpFailure, networkFailure, retryAfter, scrub, streamFailure, toldError } from "./failure.ts";

describe("wait hints", () => {
  it.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "9", "retry-after-ms": "70" }, 70],
    [{ "retry-after": "Tue, 01 Dec 2026 10:00:30 GMT", date: "Tue, 01 Dec 2026 10:00:00 GMT" }, 30_000],
    [{ "retry-after": "Tue, 01 Dec 2026 09:00:00 GMT", date: "Tue, 01 Dec 2026 10:00:00 GMT" }, 0],
    [{ "retry-after": "Tue, 01 Dec 2026 10:00:30 GMT" }, null],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-1" }, null],
    [{}, null],
  ])("%j is %s ms", (headers, ms) => expect(retryAfter(headers)).toBe(ms));
});

describe("errors of services", () => {
  it.each([
    ['{"type":"error","error":{"type":"x","message":"m"}}', "m"],
    ['{"error":{"message":"m","code":5}}', "m"],
    ['{"error":"m"}', "m"],
    ['[{"error":{"message":"m","status":"INVALID"}}]', "m"],
    ['{"detail":"m"}', "m"],
    ['{"message":"m"}', "m"],
    ['{"detail":[{"loc":["a"]}]}', '[{"loc":["a"]}]'],
  ])("%s says %s", (body, message) => expect(toldError(body)?.message).toBe(message));

  it.each(["", "<html>", "{}", "null", "3"])("%s says nothing", (body) => expect(toldError(body)).toBe(null));

  it("follows what the service says about trying again, and tells a refused redirect", () => {
    expect(httpFailure(500, { "x-should-retry": "false" }, "", null).retryable).toBe(false);
    expect(httpFailure(400, { "x-should-retry": "true" }, "", null).retryable).toBe(true);
    expect(httpFailure(401, {}, "no", null).error.message).toBe(
      "authentication failed: HTTP 401: no; no key was sent",
    );
  });

  it("classifies by words inside a stream", () => {
    const kind = (type: string, message = "", code = ""): unknown => {
      const { error, retryable } = streamFailure({ type, message, code });
      return [error.kind, retryable];
    };
    expect(kind("overloaded_error")).toEqual(["overloaded", true]);
    expect(kind("rate_limit_error")).toEqual(["rate_limit", true]);
    expect(kind("api_error")).toEqual(["server", true]);
    expect(kind("", "x", "503")).toEqual(["server", true]);
    expect(kind("authentication_error")).toEqual(["authentication", false]);
    expect(kind("", "x", "context_length_exceeded")).toEqual(["context_exceeded", false]);
    expect(kind("insufficient_quota", "x", "429")).toEqual(["rate_limit", false]);
  });
});

describe("connections", () => {
  const failed = (code: string, local = false): unknown => {
    const found = networkFailure(Object.assign(new Error("why"), { code }), "https://h", local);
    return [found.error.kind, found.retryable];
  };
  it("tries again what may pass, and names the mend of what will not", () => {
    expect(failed("ECONNRESET")).toEqual(["network", true]);
    expect(failed("EAI_AGAIN")).toEqual(["network", true]);
    expect(failed("ECONNREFUSED")).toEqual(["network", true]);
    expect(failed("ECONNREFUSED", true)).toEqual(["network", false]);
    expect(failed("ENOTFOUND")).toEqual(["network", false]);
    expect(failed("SELF_SIGNED_CERT_IN_CHAIN")).toEqual(["config", false]);
  });

  it("takes keys out of messages", () => {
    const found = scrub(httpFailure(400, {}, "bad sk-secret-1 here", null), ["sk-secret-1", "bad"]);
    expect(found.error.message).toBe("HTTP 400: bad [key] here");
  });
});

import { describe, expect, it } from "vitest";
import { isMethod, methodNames, parseParams } from "./parse-params.ts";

const context = { environment: { PATH: "/bin" }, credentials: {} };
const errorOf = (result: { ok: boolean; error?: string }): string => {
  if (result.ok) throw new Error("expected a refusal");
  return result.error ?? "";
};

describe("parseParams", () => {
  it("passes what the type allows and keeps JSON objects as they are", () => {
    const input = JSON.parse('{"__proto__":{"x":1},"deep":[1]}');
    const result = parseParams("permission.test", { cwd: "/p", tool: "bash", input });
    expect(result).toEqual({ ok: true, value: { cwd: "/p", tool: "bash", input } });
    if (result.ok) expect(result.value.input).toBe(input);
  });

  it("takes absent params for none", () => {
    expect(parseParams("daemon.status", undefined)).toEqual({ ok: true, value: {} });
    expect(errorOf(parseParams("session.delete", undefined))).toBe(
      'session.delete: parameter "sessionId" is missing: it must be a string',
    );
  });

  it.each([
    ["session.delete", 3, "session.delete: params must be an object, not a number"],
    ["session.delete", [], "session.delete: params must be an object, not an array"],
    ["session.delete", { sessionId: 7 }, 'parameter "sessionId" must be a string, not a number'],
    ["session.delete", { sessionId: "" }, 'parameter "sessionId" must be at least 1 character'],
    ["session.delete", { sessionId: "a", force: true }, 'must not have "force": no such parameter'],
    ["session.list", { limit: 0 }, 'parameter "limit" must be at least 1'],
    ["session.list", { limit: 1.5 }, 'parameter "limit" must be a whole number, not a fraction'],
    ["session.list", { cwd: "here" }, 'parameter "cwd" must be an absolute path'],
    ["session.list", { cwd: "/a\0b" }, 'parameter "cwd" must be an absolute path'],
    ["blob.read", { hash: "ABC" }, 'parameter "hash" must be a SHA-256'],
    ["trust.set", { path: "/p" }, 'parameter "trusted" is missing: it must be a boolean'],
  ] as const)("%s %j", (method, params, words) => {
    expect(errorOf(parseParams(method, params))).toContain(words);
  });

  it("names the place inside lists and unions", () => {
    const prompt = { sessionId: "s", commandId: "c", interactive: true, boundToClient: false };
    const content = (part: unknown) => parseParams("session.prompt", { ...prompt, content: [part] });
    expect(errorOf(content({ type: "text", text: 1 }))).toContain('"content[0].text" must be a string');
    expect(errorOf(content({ type: "video" }))).toContain('"content[0].type" must be "text" or "image"');
    expect(errorOf(content({}))).toContain('"content[0].type" is missing: it must be "text" or "image"');
    expect(errorOf(content({ type: "image", mediaType: "image/png", base64: "a b" }))).toContain("base64");
    expect(errorOf(parseParams("session.prompt", { ...prompt, content: [] }))).toContain("at least 1 entry");
  });

  it("never repeats a credential", () => {
    for (const credentials of [
      { KEY: 5 },
      { "bad key sk-secret": "v" },
      { KEY: "sk-secret\0" },
      "sk-secret",
    ]) {
      const result = parseParams("daemon.doctor", { cwd: "/p", context: { ...context, credentials } });
      expect(errorOf(result)).toContain("context.credentials");
    }
    const nul = parseParams("daemon.doctor", {
      cwd: "/p",
      context: { ...context, credentials: { K: "sk-secret\0" } },
    });
    expect(errorOf(nul)).not.toContain("sk-secret");
  });

  it("lets a newer client say more in initialize, and only there", () => {
    const hello = { protocolVersion: 1, client: { name: "x", version: "9", mood: "fine" }, later: true };
    expect(parseParams("initialize", hello).ok).toBe(true);
  });

  it("knows its methods", () => {
    expect(isMethod("session.open")).toBe(true);
    expect(isMethod("toString")).toBe(false);
    expect(methodNames()).toContain("models.list");
  });
});

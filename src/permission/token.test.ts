import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../protocol/ids.ts";
import { createApprovalLedger } from "./ledger.ts";
import { type Binding, bindingText, sameSecret } from "./token.ts";

type Step = {
  do: string;
  tool?: string;
  args?: JsonObject;
  as?: string;
  request?: string;
  token?: string;
  override?: { cwd?: string; unsandboxed?: boolean };
  seconds?: number;
  times?: number;
  expect?: string;
};
type Script = { id: string; steps: Step[] };

const { tokenCases } = JSON.parse(
  readFileSync(new URL("./permission-cases.json", import.meta.url), "utf8"),
) as {
  tokenCases: Script[];
};

describe("scripts for approval tokens", () => {
  it("are all there", () => expect(tokenCases.length).toBe(5));

  it.each(tokenCases)("$id", ({ steps }) => {
    let now = 1_000;
    const random = (): string => randomBytes(24).toString("base64url");
    const ledger = createApprovalLedger({ now: () => now, random });
    const requests = new Map<string, { id: string; binding: Binding }>();
    const tokens = new Map<string, string>();
    const last = (): { id: string; binding: Binding } => [...requests.values()].at(-1)!;
    for (const step of steps) {
      const at = requests.get(step.request ?? "");
      if (step.do === "request") {
        const binding: Binding = {
          tool: step.tool ?? "",
          input: step.args ?? {},
          cwd: "/w",
          policy: { unsandboxed: false },
          sessionId: "s",
        };
        requests.set(step.as ?? "", { id: ledger.request(binding), binding });
      } else if (step.do === "approve") tokens.set(step.token ?? "", ledger.approve(at!.id) ?? "");
      else if (step.do === "deny") ledger.deny(at!.id);
      else if (step.do === "advance-clock") now += (step.seconds ?? 0) * 1000;
      else if (step.do === "run") {
        const { cwd, unsandboxed } = step.override ?? {};
        const binding = {
          ...at!.binding,
          cwd: cwd ?? at!.binding.cwd,
          policy: { unsandboxed: unsandboxed ?? false },
        };
        for (let time = 0; time < (step.times ?? 1); time++) {
          const token = step.token === "random-128-bit" ? random() : tokens.get(step.token ?? "");
          expect(ledger.spend(at!.id, token, binding)).toBe(step.expect === "runs");
        }
      } else {
        expect(random().length * 6).toBeGreaterThanOrEqual(128);
        // Nobody answered the last request, or its answer was no: nothing runs.
        expect(ledger.spend(last().id, undefined, last().binding)).toBe(false);
      }
    }
  });

  it("a wrong attempt does not spend a right token, and answers come once", () => {
    const ledger = createApprovalLedger({ now: () => 0, random: () => randomBytes(16).toString("hex") });
    const binding: Binding = {
      tool: "bash",
      input: { command: "make" },
      cwd: "/w",
      policy: null,
      sessionId: "s",
    };
    const id = ledger.request(binding);
    const token = ledger.approve(id)!;
    expect(ledger.approve(id)).toBeNull();
    expect(ledger.spend(id, token, { ...binding, sessionId: "other" })).toBe(false);
    expect(ledger.spend(id, token, { ...binding, input: { command: "make all" } })).toBe(false);
    expect(ledger.spend(id, token, { ...binding, tool: "write_file" })).toBe(false);
    expect(ledger.spend(id, token, binding)).toBe(true);
    expect(ledger.spend(id, token, binding)).toBe(false);
  });
});

describe("bindingText", () => {
  const binding: Binding = {
    tool: "t",
    input: { a: 1, b: { c: [1, 2], d: null } },
    cwd: "/w",
    policy: {},
    sessionId: "s",
  };
  it("does not depend on the order of keys, and on nothing else", () => {
    expect(bindingText({ ...binding, input: { b: { d: null, c: [1, 2] }, a: 1 } })).toBe(
      bindingText(binding),
    );
    expect(bindingText({ ...binding, input: { a: 1, b: { c: [2, 1], d: null } } })).not.toBe(
      bindingText(binding),
    );
    expect(bindingText({ ...binding, tool: 't","x' })).not.toBe(bindingText({ ...binding, tool: "t" }));
  });
});

it("sameSecret tells equal from unequal", () => {
  expect(sameSecret("abc", "abc")).toBe(true);
  for (const other of ["abd", "ab", "abcd", ""]) expect(sameSecret("abc", other)).toBe(false);
});

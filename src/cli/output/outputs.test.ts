import { describe, expect, it } from "vitest";
import type { Fact, NumberedFact } from "../../protocol/event.ts";
import type { Message } from "../../protocol/message.ts";
import { exitCodeOf } from "../../protocol/outcome.ts";
import type { SandboxState } from "../../protocol/ports.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import { jsonOutput, printBroken } from "./json.ts";
import type { RunOutput, TurnFinished } from "./run-output.ts";
import { textOutput } from "./text.ts";

const USAGE = { input: 10, output: 5, cacheRead: null, cacheWrite: 2, cost: 0.5 };
const SESSION = { id: "s1", cwd: "/w", model: "anthropic/m", mode: "auto" } as SessionInfo;
const message = (kind: Message["kind"], content: Message["content"]): Fact => ({
  type: "message_added",
  message: {
    id: `m-${kind}`,
    sessionId: "s1",
    parentId: null,
    runId: "r1",
    role: kind === "reply" ? "assistant" : "user",
    kind,
    origin: "model",
    content,
    createdAt: 1,
    ...(kind === "reply" ? { model: "anthropic/m", stopReason: "tool_use" as const, usage: USAGE } : {}),
  },
});
const RESULT = {
  type: "tool_result" as const,
  callId: "c1",
  status: "error" as const,
  content: [{ type: "text" as const, text: "line\x1b[31m one\n two" }],
};
const CALL = { id: "c1", name: "bash", input: { command: "make\nall" } };
const END: TurnFinished = {
  type: "turn_finished",
  runId: "r1",
  outcome: { type: "denied", message: "1 call was denied; the result lists them" },
  text: "The end\x1b]0;title\x07.",
  steps: 2,
  toolCalls: 1,
  durationMs: 30,
  apiMs: 20,
  usage: USAGE,
  denials: [{ callId: "c2", tool: "write_file", input: { path: "a" }, reason: "no" }],
};
const FACTS: Fact[] = [
  { type: "turn_started", runId: "r1", cause: "prompt", interactive: false },
  message("prompt", [{ type: "text", text: "go" }]),
  message("reply", [
    { type: "thinking", text: "hm", source: "anthropic/m" },
    { type: "text", text: "I run it." },
    { type: "tool_call", ...CALL },
  ]),
  { type: "usage_added", model: "anthropic/m", purpose: "step", usage: USAGE },
  { type: "usage_added", model: "anthropic/m", purpose: "step", usage: { ...USAGE, cost: null } },
  {
    type: "decision_recorded",
    audit: {
      sessionId: "s1",
      runId: "r1",
      callId: "c2",
      tool: "write_file",
      decision: "deny",
      layer: "effect",
      rule: null,
      source: null,
      by: "policy",
      reason: "no",
      at: 1,
    },
  },
  { type: "call_changed", runId: "r1", call: { ...CALL, status: "running", effectId: "e", startedAt: 1 } },
  { type: "call_changed", runId: "r1", call: { ...CALL, status: "done", result: RESULT, finishedAt: 2 } },
  message("tool_results", [RESULT]),
  { type: "retry_scheduled", attempt: 1, at: 5, error: { kind: "overloaded", message: "overloaded" } },
  { type: "limit_reached", limit: "tokens", message: "the limit of 5 tokens was reached" },
  { type: "notice", level: "warning", code: "config", text: "look" },
  { type: "notice", level: "info", code: "x", text: "by the way" },
];

function play(make: (host: TestHost) => RunOutput): TestHost {
  const host = testHost();
  const output = make(host);
  const sandbox: SandboxState = { type: "ready", kind: "bwrap", missing: [] };
  output.begin({ session: SESSION, tools: ["bash"], sandbox, version: "1.2.3" });
  FACTS.forEach((fact, index) => {
    output.fact({ seq: index + 1, at: 1, fact } satisfies NumberedFact);
  });
  output.delta({ type: "text", effectId: "e", text: "I run" });
  output.delta({ type: "progress", callId: "c1", text: "..." });
  output.finish(END, exitCodeOf(END.outcome));
  return host;
}
const lines = (host: TestHost) =>
  host
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("text", () => {
  it("gives the answer on stdout alone, without control sequences", () => {
    const host = play((one) => textOutput(one, { verbose: false }));
    expect(host.out()).toBe("The end.\n");
    expect(host.err()).toBe(
      [
        "lathe: the limit of 5 tokens was reached",
        "lathe: look",
        "lathe: 1 call was denied; the result lists them",
        '  to allow such calls: --allowed-tools "Bash(npm test) Edit(src/**)", --permission-mode auto, or a rule in the config',
        "  denied: write_file a (no)",
        "",
      ].join("\n"),
    );
  });

  it("verbose: the calls, numbered, with their results, and the usage on stderr", () => {
    const host = play((one) => textOutput(one, { verbose: true }));
    expect(host.out()).toBe("The end.\n");
    expect(host.err()).toContain("session s1 · anthropic/m · mode auto\n");
    expect(host.err()).toContain("I run it.\n1. bash make all\n   ✗ line one two\n");
    expect(host.err()).toContain("tokens: 10 in, 5 out; $0.5000\n");
  });

  it("cuts arguments at 120 and results at 100 characters", () => {
    const host = testHost();
    const output = textOutput(host, { verbose: true });
    const call = { id: "c", name: "bash", input: { command: "x".repeat(500) } };
    const result = { ...RESULT, callId: "c", content: [{ type: "text" as const, text: "y".repeat(500) }] };
    output.fact({
      seq: 1,
      at: 1,
      fact: { type: "call_changed", runId: "r", call: { ...call, status: "done", result, finishedAt: 1 } },
    });
    const [first = "", second = ""] = host.err().split("\n");
    expect(first).toBe(`1. bash ${"x".repeat(117)}...`);
    expect(second).toBe(`   ✗ ${"y".repeat(97)}...`);
  });

  it("says when commands are bare or refused", () => {
    const host = testHost();
    const begin = { session: SESSION, tools: [], version: "1" };
    const output = textOutput(host, { verbose: false });
    output.begin({ ...begin, sandbox: { type: "off", reason: "flag" } });
    output.begin({ ...begin, sandbox: { type: "unavailable", reason: "no bwrap", mend: "install it" } });
    expect(host.err()).toContain("without a sandbox");
    expect(host.err()).toContain("no bwrap\ninstall it");
  });
});

const GOLDEN_RESULT = {
  type: "result",
  subtype: "error_during_execution",
  is_error: true,
  result: "The end\x1b]0;title\x07.",
  num_turns: 2,
  duration_ms: 30,
  duration_api_ms: 20,
  total_cost_usd: 0.5,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 2,
    cache_read_input_tokens: null,
    output_tokens: 5,
  },
  modelUsage: {
    "anthropic/m": {
      input_tokens: 20,
      cache_creation_input_tokens: 4,
      cache_read_input_tokens: null,
      output_tokens: 10,
      cost_usd: null,
    },
  },
  permission_denials: [
    { tool_name: "write_file", tool_use_id: "c2", tool_input: { path: "a" }, reason: "no" },
  ],
  errors: ["1 call was denied; the result lists them"],
  outcome: "denied",
  exit_code: 60,
  sandbox: "bwrap",
  session_id: "s1",
};

it("json gives the result object alone", () => {
  const all = lines(play((host) => jsonOutput(host, { stream: false, partial: false })));
  expect(all).toEqual([{ ...GOLDEN_RESULT, uuid: "id-1" }]);
});

describe("stream-json", () => {
  it("gives one object a line, each with session and uuid, the result last", () => {
    const all = lines(play((host) => jsonOutput(host, { stream: true, partial: true })));
    expect(all.map(({ type, subtype }) => [type, subtype])).toEqual([
      ["system", "init"],
      ["assistant", undefined],
      ["system", "permission_denied"],
      ["user", undefined],
      ["system", "retry"],
      ["system", "limit_reached"],
      ["system", "notice"],
      ["system", "notice"],
      ["stream_event", undefined],
      ["result", "error_during_execution"],
    ]);
    expect(new Set(all.map((line) => line.uuid)).size).toBe(all.length);
    expect(all.every((line) => line.session_id === "s1")).toBe(true);
    expect(all[0]).toMatchObject({
      cwd: "/w",
      tools: ["bash"],
      model: "anthropic/m",
      permissionMode: "auto",
      lathe_version: "1.2.3",
      sandbox: "bwrap",
    });
    expect(all[1]).toMatchObject({
      parent_tool_use_id: null,
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I run it." },
          { type: "tool_use", id: "c1", name: "bash", input: { command: "make\nall" } },
        ],
        stop_reason: "tool_use",
      },
    });
    expect(all[3]).toMatchObject({
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true }] },
    });
    expect(all[8]).toMatchObject({
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I run" } },
    });
    expect(all[9]).toMatchObject(GOLDEN_RESULT);
  });

  it("without partial messages has no stream events", () => {
    const all = lines(play((host) => jsonOutput(host, { stream: true, partial: false })));
    expect(all.some((line) => line.type === "stream_event")).toBe(false);
  });
});

it("a run that could not begin still ends with a result", () => {
  const host = testHost();
  printBroken(host, { message: "no daemon", code: "connection_lost", exitCode: 1, sessionId: "s-1" });
  expect(lines(host)).toMatchObject([
    {
      type: "result",
      is_error: true,
      errors: ["no daemon"],
      error_code: "connection_lost",
      exit_code: 1,
      session_id: "s-1",
    },
  ]);
});

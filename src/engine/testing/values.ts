import type { ContentBlock, ToolCallBlock, ToolResultBlock, Usage } from "../../protocol/message.ts";
import type { Approval, AuditRow } from "../../protocol/permission.ts";
import type { FailureInfo, Limits } from "../../protocol/session.ts";
import type { PreparedCall } from "../input.ts";
import type { TurnSettings } from "../state.ts";

export const USAGE: Usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: null, cost: 0.5 };
export const UNKNOWN_USAGE: Usage = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cost: null,
};
export const NO_LIMITS: Limits = {
  maxSteps: null,
  maxToolCalls: null,
  maxTokens: null,
  maxCostUsd: null,
  maxSeconds: null,
};

export function settings(changes: Partial<TurnSettings> = {}): TurnSettings {
  return { interactive: true, boundTo: null, limits: NO_LIMITS, ...changes };
}

export const limited = (limits: Partial<Limits>): { settings: TurnSettings } => ({
  settings: settings({ limits: { ...NO_LIMITS, ...limits } }),
});

export const text = (value: string): ContentBlock => ({ type: "text", text: value });

export const call = (id: string, name = "bash"): ToolCallBlock => ({
  type: "tool_call",
  id,
  name,
  input: { command: id },
});

export const callsOf = (content: readonly ContentBlock[]): ToolCallBlock[] =>
  content.filter((block) => block.type === "tool_call");

export const okResult = (callId: string, status: ToolResultBlock["status"] = "ok"): ToolResultBlock => ({
  type: "tool_result",
  callId,
  status,
  content: [{ type: "text", text: `${status} ${callId}` }],
});

export const audit = (callId: string): AuditRow => ({
  sessionId: "s1",
  runId: null,
  callId,
  tool: "bash",
  decision: "allow",
  layer: "effect",
  rule: null,
  source: null,
  by: "policy",
  reason: "test",
  at: 0,
});

export const run = (callId: string): PreparedCall => ({ callId, type: "run", audit: audit(callId) });

export const deny = (callId: string): PreparedCall => ({
  callId,
  type: "answered",
  result: okResult(callId, "denied"),
  audit: audit(callId),
  denied: true,
});

export const ask = (callId: string, id = `ap-${callId}`): PreparedCall => ({
  callId,
  type: "ask",
  approval: approval(callId, id),
  audit: audit(callId),
});

export const approval = (callId: string, id = `ap-${callId}`): Approval => ({
  id,
  sessionId: "s1",
  runId: "r",
  callId,
  kind: "tool",
  tool: "bash",
  binding: "b",
  title: "t",
  detail: "d",
  input: {},
  reason: "test",
  parts: [],
  suggestions: [],
  onceOnly: false,
  createdAt: 0,
  status: "open",
});

export const RATE: FailureInfo = { kind: "rate_limit", message: "slow down", status: 429 };

import type { Fact } from "../../protocol/event.ts";
import type { Json } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { Approval, AuditRow, Grant } from "../../protocol/permission.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { Commit, StoredSession } from "../../protocol/store-port.ts";

/** Values for tests of the store: every field set, so that a round trip shows what is lost. */
export function sampleSession(id: string, changes: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id,
    title: `Session ${id}`,
    cwd: "/srv/project",
    roots: ["/srv/project", "/srv/other"],
    model: "anthropic/some-model",
    mode: "accept-edits",
    status: "idle",
    head: null,
    parentSessionId: null,
    parentRunId: null,
    parentCallId: null,
    sandbox: "on",
    usage: { input: 5, output: null, cacheRead: 0, cacheWrite: 12, cost: 0.25 },
    messageCount: 0,
    createdAt: 1_000,
    updatedAt: 1_000,
    ...changes,
  };
}

export function sampleStored(id: string, changes: Partial<SessionInfo> = {}): StoredSession {
  return {
    session: sampleSession(id, changes),
    state: { phase: { type: "idle" } },
    seq: 0,
    options: { appendSystemPrompt: "Be brief.", allowedTools: ["bash(git log *)"], sandbox: "on" },
    environment: { PATH: "/usr/bin", LANG: "de_DE.UTF-8" },
    prefixHash: null,
  };
}

export function sampleMessage(id: string, parentId: string | null, sessionId = "s1", text = id): Message {
  return {
    id,
    sessionId,
    parentId,
    runId: "run-1",
    role: "assistant",
    kind: "reply",
    origin: "model",
    content: [{ type: "text", text }],
    model: "anthropic/some-model",
    stopReason: "end_turn",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: null },
    createdAt: 2_000,
  };
}

export function added(message: Message): Fact {
  return { type: "message_added", message };
}

export function sampleCommit(sessionId: string, expectedSeq: number, changes: Partial<Commit> = {}): Commit {
  return {
    sessionId,
    expectedSeq,
    facts: [{ type: "notice", level: "info", code: "test", text: "hello" }],
    state: { phase: { type: "idle" } } satisfies Json,
    session: sampleSession(sessionId),
    at: 3_000,
    durability: "normal",
    ...changes,
  };
}

export function sampleApproval(id: string, changes: Partial<Approval> = {}): Approval {
  return {
    id,
    sessionId: "s1",
    runId: "run-1",
    callId: "call-1",
    kind: "tool",
    tool: "bash",
    binding: "b".repeat(64),
    title: "Run a command",
    detail: "rm -r build",
    input: { command: "rm -r build" },
    reason: "it writes",
    parts: ["rm -r build"],
    suggestions: [],
    onceOnly: false,
    createdAt: 2_500,
    status: "open",
    ...changes,
  };
}

export function sampleAudit(reason: string): AuditRow {
  return {
    sessionId: "s1",
    runId: "run-1",
    callId: "call-1",
    tool: "bash",
    decision: "allow",
    layer: "allow_rule",
    rule: "bash(npm test)",
    source: "config.json:3",
    by: "rule",
    reason,
    at: 2_600,
    detail: { parts: ["npm test"] },
  };
}

export function sampleGrant(match: string): Grant {
  return {
    rule: { effect: "allow", tool: "bash", match, scope: "session", source: "approval" },
    scope: "task",
    grantedAt: 2_700,
    by: "cli",
  };
}

import type { ToolCallBlock } from "../../protocol/message.ts";
import type { Approval, PermissionDecision, ResolvedAction } from "../../protocol/permission.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import { spellOut } from "../../shared/text.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import { approvalBinding } from "./binding.ts";
import { rulesInWords } from "./decide-for.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { callTitle } from "./tool-texts.ts";

/** A call that may not run before somebody said yes. */
type Asked = {
  call: ToolCallBlock;
  tool: ToolDefinition;
  input: unknown;
  actions: ResolvedAction[];
  decision: Extract<PermissionDecision, { type: "ask" }>;
  runId: string;
};

/** The stored question about a call that is not yet allowed, with the diff of an edit. */
export function buildApproval(
  asked: Asked,
  diff: string | undefined,
  runtime: SessionRuntime,
  ports: EffectPorts,
): Approval {
  const { call, tool, decision } = asked;
  return {
    id: ports.ids.next(),
    sessionId: runtime.actor.session.id,
    runId: asked.runId,
    callId: call.id,
    kind: "tool",
    tool: tool.name,
    binding: approvalBinding(call, tool.name, runtime),
    title: spellOut(callTitle(tool.name, call.input)),
    detail: spellOut(JSON.stringify(call.input, null, 2)),
    input: call.input,
    diff: diff === undefined ? undefined : spellOut(diff),
    reason: decision.reason,
    parts: decision.parts.map(spellOut),
    suggestions: decision.suggestions,
    words: rulesInWords(decision.suggestions),
    onceOnly: decision.onceOnly,
    createdAt: ports.clock.now(),
    status: "open",
  };
}

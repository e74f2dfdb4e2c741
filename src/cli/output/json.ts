import type { Delta, Fact } from "../../protocol/event.ts";
import type { JsonObject } from "../../protocol/ids.ts";
import type { HistoryCut, Usage } from "../../protocol/message.ts";
import { type CliHost, print } from "../host.ts";
import { assistantMessage, userMessage } from "./anthropic-shapes.ts";
import { resultObject } from "./result.ts";
import { type RunOutput, type RunStart, sandboxWord } from "./run-output.ts";
import { warnOf, warnOfSandbox } from "./warnings.ts";

/** `json`: the result object alone. `stream-json`: one object a line, the result last. */
export function jsonOutput(host: CliHost, options: { stream: boolean; partial: boolean }): RunOutput {
  let sessionId = "";
  let sandbox = "";
  const modelUsage = new Map<string, Usage>();
  const line = (object: JsonObject | null): void => {
    if (object === null || !options.stream) return;
    print(host, JSON.stringify({ ...object, session_id: sessionId, uuid: host.newId() }));
  };
  return {
    begin(start) {
      sessionId = start.session.id;
      sandbox = sandboxWord(start.sandbox);
      warnOfSandbox(host, start.sandbox);
      line(initLine(start, sandbox));
    },
    fact({ fact }) {
      warnOf(host, fact);
      if (fact.type === "usage_added") addUsage(modelUsage, fact.model, fact.usage);
      else line(factLine(fact));
    },
    delta(delta) {
      if (options.partial) line(deltaLine(delta));
    },
    finish(turn, exitCode) {
      const uuid = host.newId();
      print(host, JSON.stringify(resultObject(turn, exitCode, { sessionId, uuid, modelUsage, sandbox })));
      modelUsage.clear();
    },
  };
}

/** The result line of a run that ended without a turn's end: it could not begin, or the daemon was lost. */
export function printBroken(
  host: CliHost,
  {
    message,
    code,
    exitCode,
    sessionId,
  }: { message: string; code: string; exitCode: number; sessionId: string | null },
): void {
  const result = {
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    result: "",
    errors: [message],
    error_code: code,
    exit_code: exitCode,
    num_turns: 0,
    permission_denials: [],
    total_cost_usd: null,
    session_id: sessionId,
    uuid: host.newId(),
  };
  print(host, JSON.stringify(result));
}

/** Lists that lathe has nothing for are there and empty: readers of this format expect them. */
function initLine({ session, tools, version }: RunStart, sandbox: string): JsonObject {
  return {
    type: "system",
    subtype: "init",
    cwd: session.cwd,
    tools,
    mcp_servers: [],
    model: session.model,
    permissionMode: session.mode,
    slash_commands: [],
    agents: [],
    skills: [],
    plugins: [],
    apiKeySource: "environment",
    output_style: "default",
    lathe_version: version,
    sandbox,
  };
}

/** The line of a fact; null for facts that the format has no word for. */
function factLine(fact: Fact): JsonObject | null {
  switch (fact.type) {
    case "message_added": {
      const { message } = fact;
      if (message.kind === "reply") {
        return { type: "assistant", message: assistantMessage(message), parent_tool_use_id: null };
      }
      if (message.cut?.type === "compacted") return boundaryLine(message.cut);
      if (message.kind !== "tool_results") return null;
      return { type: "user", message: userMessage(message), parent_tool_use_id: null };
    }
    case "decision_recorded": {
      const { decision, tool, callId, reason } = fact.audit;
      if (decision !== "deny" && decision !== "refused") return null;
      return { ...system("permission_denied"), tool_name: tool, tool_use_id: callId, reason };
    }
    case "retry_scheduled":
      return { ...system("retry"), attempt: fact.attempt, at: fact.at, reason: fact.error.message };
    case "limit_reached":
      return { ...system("limit_reached"), limit: fact.limit, text: fact.message };
    case "notice":
      return { ...system("notice"), level: fact.level, code: fact.code, text: fact.text };
    default:
      return null;
  }
}

function boundaryLine(cut: Extract<HistoryCut, { type: "compacted" }>): JsonObject {
  const trigger = cut.trigger === "manual" ? "manual" : "auto";
  return { ...system("compact_boundary"), compact_metadata: { trigger, pre_tokens: cut.tokensBefore } };
}

const system = (subtype: string): JsonObject => ({ type: "system", subtype });

function deltaLine(delta: Delta): JsonObject | null {
  if (delta.type === "text") return streamed({ type: "text_delta", text: delta.text });
  if (delta.type === "thinking") return streamed({ type: "thinking_delta", thinking: delta.text });
  return null;
}

const streamed = (delta: JsonObject): JsonObject => ({
  type: "stream_event",
  event: { type: "content_block_delta", index: 0, delta },
  parent_tool_use_id: null,
});

function addUsage(totals: Map<string, Usage>, model: string, usage: Usage): void {
  const sum = (a: number | null, b: number | null): number | null =>
    a === null ? b : b === null ? a : a + b;
  const before = totals.get(model);
  totals.set(
    model,
    before
      ? {
          input: sum(before.input, usage.input),
          output: sum(before.output, usage.output),
          cacheRead: sum(before.cacheRead, usage.cacheRead),
          cacheWrite: sum(before.cacheWrite, usage.cacheWrite),
          cost: before.cost === null || usage.cost === null ? null : before.cost + usage.cost,
        }
      : usage,
  );
}

import type { JsonObject } from "../../protocol/ids.ts";
import type { Usage } from "../../protocol/message.ts";
import { type CliHost, print } from "../host.ts";
import { assistantMessage, userMessage } from "./anthropic-shapes.ts";
import { resultObject } from "./result.ts";
import { type RunOutput, sandboxWord } from "./run-output.ts";

/** `json`: the result object alone. `stream-json`: one object a line, the result last. */
export function jsonOutput(host: CliHost, options: { stream: boolean; partial: boolean }): RunOutput {
  let sessionId = "";
  let sandbox = "";
  let tools: string[] = [];
  const modelUsage = new Map<string, Usage>();
  const line = (object: JsonObject): void => {
    if (options.stream) print(host, JSON.stringify({ ...object, session_id: sessionId, uuid: host.newId() }));
  };
  return {
    begin(start) {
      sessionId = start.session.id;
      sandbox = sandboxWord(start.sandbox);
      tools = start.tools;
      line({
        type: "system",
        subtype: "init",
        cwd: start.session.cwd,
        tools,
        mcp_servers: [],
        model: start.session.model,
        permissionMode: start.session.mode,
        slash_commands: [],
        agents: [],
        skills: [],
        plugins: [],
        apiKeySource: "environment",
        output_style: "default",
        lathe_version: start.version,
        sandbox,
      });
    },
    fact({ fact }) {
      if (fact.type === "message_added") {
        const { message } = fact;
        if (message.kind === "reply") {
          line({ type: "assistant", message: assistantMessage(message), parent_tool_use_id: null });
        } else if (message.kind === "tool_results") {
          line({ type: "user", message: userMessage(message), parent_tool_use_id: null });
        }
      } else if (fact.type === "usage_added") addUsage(modelUsage, fact.model, fact.usage);
      else if (
        fact.type === "decision_recorded" &&
        (fact.audit.decision === "deny" || fact.audit.decision === "refused")
      ) {
        line({
          type: "system",
          subtype: "permission_denied",
          tool_name: fact.audit.tool,
          tool_use_id: fact.audit.callId,
          reason: fact.audit.reason,
        });
      } else if (fact.type === "retry_scheduled") {
        line({
          type: "system",
          subtype: "retry",
          attempt: fact.attempt,
          at: fact.at,
          reason: fact.error.message,
        });
      } else if (fact.type === "notice") {
        line({ type: "system", subtype: "notice", level: fact.level, code: fact.code, text: fact.text });
      }
    },
    delta(delta) {
      if (!options.partial) return;
      if (delta.type === "text") {
        line(
          partial({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: delta.text } }),
        );
      } else if (delta.type === "thinking") {
        line(
          partial({
            type: "content_block_delta",
            index: 0,
            delta: { type: "thinking_delta", thinking: delta.text },
          }),
        );
      }
    },
    finish(turn, exitCode) {
      const uuid = host.newId();
      print(host, JSON.stringify(resultObject(turn, exitCode, { sessionId, uuid, modelUsage, sandbox })));
      modelUsage.clear();
    },
    broken(message, code) {
      print(
        host,
        JSON.stringify({
          type: "result",
          subtype: "error_during_execution",
          is_error: true,
          result: "",
          errors: [message],
          error_code: code,
          num_turns: 0,
          permission_denials: [],
          total_cost_usd: null,
          session_id: sessionId || null,
          uuid: host.newId(),
        }),
      );
    },
  };
}

const partial = (event: JsonObject): JsonObject => ({
  type: "stream_event",
  event,
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

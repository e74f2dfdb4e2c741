import type { ToolCallBlock } from "../../protocol/message.ts";
import type { ResolvedAction } from "../../protocol/permission.ts";
import type { ToolDefinition } from "../../protocol/tool.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { buildToolContext, fileAccess } from "./tool-context.ts";

/**
 * The diff that a write call would make: the very tool, run over a file layer that computes changes without
 * making them. Undefined when the call would fail anyway (its error is what the model gets when it runs).
 */
export async function previewDiff(
  asked: {
    call: ToolCallBlock;
    tool: ToolDefinition;
    input: unknown;
    actions: ResolvedAction[];
    runId: string;
  },
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<string | undefined> {
  const attempt: Attempt = {
    effect: {
      type: "run_tool",
      effectId: "preview",
      runId: asked.runId,
      call: asked.call,
      approvalId: null,
      interactive: true,
    },
    tool: asked.tool,
    rights: {
      profile: "read-only",
      approved: true,
      actions: asked.actions,
      extraRoots: [],
      unsandboxed: false,
    },
    signal: AbortSignal.timeout(5000),
    facts: [],
  };
  const { context } = buildToolContext(attempt, runtime, ports);
  const output = await asked.tool.run(asked.input, {
    ...context,
    files: fileAccess(attempt, runtime, ports, true),
  });
  return output.display?.type === "diff" ? output.display.patch : undefined;
}

import type { ToolCallBlock } from "../../protocol/message.ts";
import type { ResolvedAction } from "../../protocol/permission.ts";
import type { ToolDefinition, ToolOutput } from "../../protocol/tool.ts";
import { isWithin } from "../../shared/fs.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { Attempt } from "./attempt.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { buildToolContext, fileAccess } from "./tool-context.ts";

/** What a write call would do: its diff, or the failure that it would end with. */
export type Rehearsal = { diff?: string; failure?: ToolOutput };

/**
 * The very tool, run over a file layer that computes changes without making them. A failure is given only for
 * files inside the roots: for others its text would tell the model what nobody has let it read.
 */
export async function rehearse(
  asked: {
    call: ToolCallBlock;
    tool: ToolDefinition;
    input: unknown;
    actions: ResolvedAction[];
    runId: string;
  },
  runtime: SessionRuntime,
  ports: EffectPorts,
): Promise<Rehearsal> {
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
      gitConfig: "pinned",
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
  if (output.display?.type === "diff") return { diff: output.display.patch };
  const inside = asked.actions.every(
    (action) =>
      action.type === "write_path" && runtime.place.roots.some((root) => isWithin(root, action.realPath)),
  );
  return output.status === "error" && inside ? { failure: output } : {};
}

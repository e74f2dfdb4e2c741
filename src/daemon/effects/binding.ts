import { bindingText } from "../../permission/token.ts";
import type { ToolCallBlock } from "../../protocol/message.ts";
import { sha256 } from "../../shared/hash.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";

/** What an approval of this call is bound to: tool, exact arguments, directory, policy and session. */
export function approvalBinding(call: ToolCallBlock, tool: string, runtime: SessionRuntime): string {
  return sha256(
    bindingText({
      tool,
      input: call.input,
      cwd: runtime.place.cwd,
      policy: {
        roots: runtime.policy.writableRoots,
        mode: runtime.policy.mode,
        sandbox: runtime.options.sandbox,
      },
      sessionId: runtime.actor.session.id,
    }),
  );
}

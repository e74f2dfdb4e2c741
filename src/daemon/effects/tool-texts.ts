import type { CallId, JsonObject } from "../../protocol/ids.ts";
import type { ToolResultBlock, ToolResultStatus } from "../../protocol/message.ts";
import type { PermissionDecision } from "../../protocol/permission.ts";

/** A result that is only a text. */
export function textResult(callId: CallId, status: ToolResultStatus, text: string): ToolResultBlock {
  return {
    type: "tool_result",
    callId,
    status,
    content: [{ type: "text", text: text === "" ? "(no output)" : text }],
  };
}

/** What the model is told when a call was denied, with the way out. */
export function denialText(decision: Extract<PermissionDecision, { type: "deny" }>): string {
  const wayOut =
    decision.wayOut ?? "Do not try the same call again; find another way, or say what you would need.";
  return `Permission denied: ${decision.reason} ${wayOut}`;
}

/** What the model is told when a question could not be asked because nobody is there. */
export function headlessDenialText(decision: Extract<PermissionDecision, { type: "ask" }>): string {
  return (
    `Permission denied: this needs the user's approval (${decision.reason}), and nobody is there to ask. ` +
    "Go on without it, or end by saying what could not be done and which permission it needs."
  );
}

/** What the model is told when what was allowed is not allowed any more by the time the call runs. */
export function changedText(decision: Extract<PermissionDecision, { type: "ask" }>): string {
  return (
    `Permission denied: since this call was allowed, rules, mode or files changed, and now it needs the user's ` +
    `approval (${decision.reason}). Nothing was run. Send the call again to ask for it.`
  );
}

/** One line that shows a call to a person: the command, or the tool with its path. */
export function callTitle(tool: string, input: JsonObject): string {
  if (typeof input.command === "string") return input.command;
  const subject = input.path ?? input.from ?? input.pattern ?? input.url;
  return typeof subject === "string" ? `${tool} ${subject}` : tool;
}

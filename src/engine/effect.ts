import type { ApprovalId, CallId, EffectId, MessageId, Millis, RunId } from "../protocol/ids.ts";
import type { ToolCallBlock } from "../protocol/message.ts";
import type { ApprovalAnswer } from "../protocol/permission.ts";
import type { LimitKind } from "../protocol/session.ts";
import type { CompactionWish } from "./state.ts";

/** Work for the daemon, started after the commit. Each answers with exactly one input, unless cancelled. */
export type Effect =
  | {
      type: "call_model";
      effectId: EffectId;
      runId: RunId;
      head: MessageId;
      model: string;
      purpose: "step" | "wrap_up";
      limit: LimitKind | null;
      /** Answer `context_full` instead of asking the model when the conversation has passed its budget. */
      checkRoom: boolean;
    }
  | { type: "prepare_tools"; effectId: EffectId; runId: RunId; calls: ToolCallBlock[]; interactive: boolean }
  /** `approvalId` when an answer allowed it: the runner checks and spends its token. */
  | {
      type: "run_tool";
      effectId: EffectId;
      runId: RunId;
      call: ToolCallBlock;
      approvalId: ApprovalId | null;
      interactive: boolean;
    }
  /** The answer to a question that a running call raised (`tool_asks`). */
  | {
      type: "answer_tool";
      effectId: EffectId;
      callId: CallId;
      approvalId: ApprovalId;
      answer: ApprovalAnswer;
    }
  | { type: "start_timer"; effectId: EffectId; at: Millis }
  | ({
      type: "compact";
      effectId: EffectId;
      head: MessageId;
      model: string;
      runId: RunId | null;
    } & CompactionWish)
  /** Stop the named effects; their inputs still come (as interrupted) or are dropped when late. */
  | { type: "cancel"; effectIds: EffectId[] }
  /** The turn is over: free what the run held (commands, temp files, grants of the task's run). */
  | { type: "release_run"; runId: RunId };

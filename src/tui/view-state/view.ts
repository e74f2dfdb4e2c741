import type { Delta, NumberedFact } from "../../protocol/event.ts";
import type { Approval } from "../../protocol/permission.ts";
import type { TodoItem } from "../../protocol/plans.ts";
import type { SandboxState } from "../../protocol/ports.ts";
import type {
  CallRecord,
  PhaseName,
  QueuedPrompt,
  SessionInfo,
  SessionSnapshot,
} from "../../protocol/session.ts";
import type { Block } from "../blocks/block.ts";
import { EMPTY_STREAM, type TextStream } from "../markdown/stream.ts";

/** A call that has an own row in the live area: it, or one before it, has not ended. */
export type LiveCall = { number: number; call: CallRecord };

/** The message that streams now. */
export type Streaming = {
  effectId: string;
  /** All text so far: says what of a snapshot or of the stored message is still to come. */
  received: string;
  text: TextStream;
  thinking: string;
  /** A call whose arguments stream. */
  calling: { name: string; chars: number } | null;
};

/** All that the screen shows of a session. Plain data; `reduce` gives the next one. */
export type View = {
  version: string;
  session: SessionInfo | null;
  sandbox: SandboxState | null;
  connection: "connecting" | "open" | "lost";
  phase: PhaseName;
  /** Set while a turn runs. */
  turn: { startedAt: number; interrupting: boolean } | null;
  streaming: Streaming | null;
  calls: LiveCall[];
  /** Running number of the calls of this screen. */
  callCount: number;
  queue: QueuedPrompt[];
  approvals: Approval[];
  /** The model's checklist, whole. */
  todos: readonly TodoItem[];
  /** Names of skills that the user may call for as `/name`. */
  skills: readonly string[];
  /** Last words of the running tool. */
  progress: { callId: string; text: string } | null;
  retry: { attempt: number; at: number; message: string } | null;
  /** Output of the newest call, for Ctrl-O. */
  lastOutput: { title: string; text: string } | null;
  /** Finished blocks that the screen has not taken yet. */
  finished: Block[];
};

/** What the view is told. */
export type ViewEvent =
  | { type: "fact"; fact: NumberedFact }
  | { type: "delta"; delta: Delta }
  | { type: "snapshot"; snapshot: SessionSnapshot; hasEarlier: boolean; resumed: boolean }
  | { type: "lost"; reason: string }
  | { type: "reconnected" }
  | { type: "interrupting" }
  | { type: "show"; block: Block }
  /** The screen has written the first `count` finished blocks. */
  | { type: "taken"; count: number };

export function emptyView(version: string): View {
  return {
    version,
    session: null,
    sandbox: null,
    connection: "connecting",
    phase: "idle",
    turn: null,
    streaming: null,
    calls: [],
    callCount: 0,
    queue: [],
    approvals: [],
    todos: [],
    skills: [],
    progress: null,
    retry: null,
    lastOutput: null,
    finished: [],
  };
}

export function newStreaming(effectId: string): Streaming {
  return { effectId, received: "", text: EMPTY_STREAM, thinking: "", calling: null };
}

/** The view with one more finished block. */
export function show(view: View, ...blocks: Block[]): View {
  return blocks.length === 0 ? view : { ...view, finished: [...view.finished, ...blocks] };
}

import type { Fact } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import type { CallRecord } from "../protocol/session.ts";
import type { Effect } from "./effect.ts";
import type { Envelope } from "./input.ts";
import type { EngineState, Phase, Turn } from "./state.ts";

/** A transition in the making: the state is replaced, never changed in place. */
export type Draft = {
  state: EngineState;
  readonly facts: Fact[];
  readonly effects: Effect[];
  readonly now: number;
  readonly random: number;
  /** The next fresh id of the envelope. */
  newId(): string;
};

export function openDraft(state: EngineState, envelope: Envelope): Draft {
  let used = 0;
  return {
    state,
    facts: [],
    effects: [],
    now: envelope.now,
    random: envelope.random,
    newId() {
      const id = envelope.ids[used++];
      if (id === undefined) throw new Error(`the envelope had too few ids (${envelope.ids.length})`);
      return id;
    },
  };
}

export function change(draft: Draft, patch: Partial<EngineState>): void {
  draft.state = { ...draft.state, ...patch };
}

/** Changes the running turn; nothing happens when there is none. */
export function changeTurn(draft: Draft, patch: Partial<Turn>): void {
  if (draft.state.turn) change(draft, { turn: { ...draft.state.turn, ...patch } });
}

/** Enters a phase and says so; calls belong to the step that their reply has counted already. */
export function enter(draft: Draft, phase: Phase): void {
  change(draft, { phase });
  draft.facts.push({
    type: "phase_changed",
    phase: phase.type,
    step: draft.state.turn === null ? 0 : draft.state.turn.steps + (TOOL_PHASES.includes(phase.type) ? 0 : 1),
    effectId: "effectId" in phase ? phase.effectId : null,
  });
}

const TOOL_PHASES: readonly Phase["type"][] = ["preparing_tools", "running_tools"];

type NewMessage = Pick<Message, "role" | "kind" | "origin" | "content"> &
  Partial<Pick<Message, "id" | "model" | "stopReason" | "usage">>;

/** Appends a message below the head and moves the head to it; without an id it gets a fresh one. */
export function addMessage(draft: Draft, message: NewMessage): void {
  const added: Message = {
    id: message.id ?? draft.newId(),
    sessionId: draft.state.sessionId,
    parentId: draft.state.head,
    runId: draft.state.turn?.runId ?? null,
    role: message.role,
    kind: message.kind,
    origin: message.origin,
    content: message.content,
    ...(message.model === undefined ? {} : { model: message.model }),
    ...(message.stopReason === undefined ? {} : { stopReason: message.stopReason }),
    ...(message.usage === undefined ? {} : { usage: message.usage }),
    createdAt: draft.now,
  };
  draft.facts.push({ type: "message_added", message: added });
  change(draft, { head: added.id });
}

/** Replaces the record of one call and says so. */
export function setCall(draft: Draft, call: CallRecord): void {
  change(draft, { calls: draft.state.calls.map((known) => (known.id === call.id ? call : known)) });
  const runId = draft.state.turn?.runId;
  if (runId !== undefined) draft.facts.push({ type: "call_changed", runId, call });
}

export function notice(draft: Draft, level: "info" | "warning" | "error", code: string, text: string): void {
  draft.facts.push({ type: "notice", level, code, text });
}

import type { Fact } from "../../protocol/event.ts";
import type { Message } from "../../protocol/message.ts";
import type { PhaseName } from "../../protocol/session.ts";
import type { Effect } from "../effect.ts";
import type { EngineState } from "../state.ts";
import type { Step } from "../transition.ts";
import { callsOf } from "./values.ts";

/** What may follow each phase; a phase that follows itself is issued anew. */
const FOLLOWS: Record<PhaseName, PhaseName[]> = {
  idle: ["idle", "calling_model", "compacting"],
  calling_model: [
    "calling_model",
    "wrapping_up",
    "preparing_tools",
    "compacting",
    "waiting_retry",
    "needs_client",
    "idle",
  ],
  preparing_tools: ["preparing_tools", "running_tools", "idle"],
  running_tools: ["calling_model", "wrapping_up", "idle"],
  compacting: ["compacting", "calling_model", "wrapping_up", "idle"],
  waiting_retry: ["waiting_retry", "calling_model", "wrapping_up", "idle"],
  wrapping_up: ["wrapping_up", "compacting", "waiting_retry", "needs_client", "idle"],
  needs_client: ["calling_model", "wrapping_up", "idle"],
};

/** All that a watcher of facts and effects knows; every promise of the engine is checked against it. */
export type Ledger = {
  phase: PhaseName;
  head: string | null;
  messages: Map<string, Message>;
  /** Messages on which a chain was found closed. */
  closed: Set<string>;
  openTurn: string | null;
  turns: Map<string, number>;
  openApprovals: Set<string>;
  closedApprovals: Set<string>;
  /** Calls that were started, with their effects. */
  started: Map<string, string>;
  invalid: Set<string>;
  removed: Set<string>;
  lastEnd: string;
};

export function openLedger(): Ledger {
  return {
    phase: "idle",
    head: null,
    messages: new Map(),
    closed: new Set(),
    openTurn: null,
    turns: new Map(),
    openApprovals: new Set(),
    closedApprovals: new Set(),
    started: new Map(),
    invalid: new Set(),
    removed: new Set(),
    lastEnd: "none",
  };
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Enters one step in the ledger; throws when it breaks a promise. */
export function checkStep(ledger: Ledger, step: Step): void {
  for (const fact of step.facts) checkFact(ledger, fact);
  for (const effect of step.effects) checkEffect(ledger, effect, step.state);
  ledger.head = step.state.head;
  checkState(ledger, step.state);
}

function checkFact(ledger: Ledger, fact: Fact): void {
  switch (fact.type) {
    case "phase_changed":
      must(FOLLOWS[ledger.phase].includes(fact.phase), `${ledger.phase} -> ${fact.phase} is not legal`);
      ledger.phase = fact.phase;
      return;
    case "message_added":
      return checkMessage(ledger, fact.message);
    case "session_cleared":
      ledger.head = null;
      return;
    case "turn_started":
      must(ledger.openTurn === null, "a turn began inside a turn");
      must(!ledger.turns.has(fact.runId), "a run began twice");
      ledger.openTurn = fact.runId;
      ledger.turns.set(fact.runId, 0);
      return;
    case "turn_finished":
      must(ledger.openTurn === fact.runId, "a turn ended that was not open");
      ledger.turns.set(fact.runId, (ledger.turns.get(fact.runId) ?? 0) + 1);
      ledger.openTurn = null;
      ledger.lastEnd = fact.outcome.type;
      checkClosed(ledger, ledger.head);
      return;
    case "approval_requested":
      must(!ledger.openApprovals.has(fact.approval.id), "an approval was requested twice");
      ledger.openApprovals.add(fact.approval.id);
      return;
    case "approval_resolved":
      must(ledger.openApprovals.delete(fact.approval.id), "an approval was resolved that was not open");
      must(!ledger.closedApprovals.has(fact.approval.id), "an approval was resolved twice");
      ledger.closedApprovals.add(fact.approval.id);
      return;
    case "prompt_dequeued":
      if (fact.reason === "removed") ledger.removed.add(fact.promptId);
      return;
    default:
      return;
  }
}

function checkMessage(ledger: Ledger, message: Message): void {
  must(!ledger.messages.has(message.id), `message ${message.id} was added twice`);
  must(message.content.length > 0, "an empty message was added");
  must(message.parentId === ledger.head, "a message hangs in the air");
  ledger.messages.set(message.id, message);
  ledger.head = message.id;
  for (const call of callsOf(message.content)) if (call.invalid) ledger.invalid.add(call.id);
}

function checkEffect(ledger: Ledger, effect: Effect, state: EngineState): void {
  if (effect.type === "call_model") {
    must(effect.runId === ledger.openTurn, "a model call without its turn");
    must(effect.head === state.head, "a model call beside the head");
    must(state.interrupting === null, "a model call while interrupting");
    checkClosed(ledger, effect.head);
    const last = ledger.messages.get(effect.head);
    const continues = last?.stopReason === "pause_turn";
    must(last?.role === "user" || continues, "a model call that nobody asked for");
  } else if (effect.type === "run_tool") {
    must(!ledger.started.has(effect.call.id), `call ${effect.call.id} was started twice`);
    must(!ledger.invalid.has(effect.call.id), "a broken call was started");
    ledger.started.set(effect.call.id, effect.effectId);
  }
}

/** On the whole chain each reply's calls are answered once, in order, by the next message and nowhere else. */
function checkClosed(ledger: Ledger, head: string | null): void {
  let above: Message | undefined;
  for (let id = head; id !== null; ) {
    if (ledger.closed.has(id) && above?.kind !== "tool_results") break;
    const message: Message | undefined = ledger.messages.get(id);
    must(message !== undefined, "the chain is broken");
    const calls = callsOf(message.content).map((call) => call.id);
    const answered =
      above?.kind === "tool_results"
        ? above.content.map((block) => (block.type === "tool_result" ? block.callId : "?"))
        : [];
    must(calls.join() === answered.join(), `calls [${calls}] are answered by [${answered}]`);
    above = message;
    id = message.kind === "summary" ? null : message.parentId;
  }
  must(above?.kind !== "tool_results", "results without calls");
  if (head !== null) ledger.closed.add(head);
}

const MAX_IDLE_STATE = 5000;

function checkState(ledger: Ledger, state: EngineState): void {
  const json = JSON.stringify(state);
  must(JSON.stringify(JSON.parse(json)) === json, "the state is not plain JSON");
  must(state.phase.type === ledger.phase, "the phase was changed without a fact");
  must(state.recentCommands.length <= 50, "commands are remembered without end");
  must((state.turn?.runId ?? null) === ledger.openTurn, "the turn is not the one the facts tell of");
  const open = state.approvals.map(({ id }) => id);
  must(open.length === ledger.openApprovals.size, "the open approvals are not the ones the facts tell of");
  must(
    open.every((id) => ledger.openApprovals.has(id)),
    "an approval is open that the facts closed",
  );
  for (const call of state.calls) {
    if (call.status === "awaiting_approval") must(open.includes(call.approvalId), "a call waits for nothing");
    if (call.status === "running") must(ledger.started.get(call.id) === call.effectId, "a call runs twice");
  }
  if (state.phase.type !== "idle") return;
  const { turn, calls, interrupting, queue } = state;
  must(turn === null && calls.length + open.length === 0 && interrupting === null, "idle with leftovers");
  must(queue.length === 0 || ledger.lastEnd === "interrupted", "a prompt waits while nothing runs");
  must(json.length - JSON.stringify(queue).length < MAX_IDLE_STATE, "the idle state grows");
}

/** Every prompt is in the conversation once, or still waits, or was taken back: none is lost or doubled. */
export function checkPrompts(ledger: Ledger, state: EngineState, sent: readonly string[]): void {
  for (const id of sent) {
    const places =
      Number(ledger.messages.has(id)) +
      Number(state.queue.some((prompt) => prompt.id === id)) +
      Number(ledger.removed.has(id));
    must(places === 1, `prompt ${id} is in ${places} places`);
  }
}

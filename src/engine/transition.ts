import type { Fact } from "../protocol/event.ts";
import { onAnswered, onToolAsks } from "./answers.ts";
import { onCompacted, onCompactRequested, onContextFull } from "./compaction.ts";
import { change, type Draft, openDraft } from "./draft.ts";
import type { Effect } from "./effect.ts";
import type { Envelope, Input } from "./input.ts";
import { onInterrupt } from "./interrupt.ts";
import { onClientArrived, onModelFailed, onTimer, onUnreachable } from "./model-failure.ts";
import { onModelFinished } from "./model-reply.ts";
import { takeFact } from "./plans.ts";
import { onPrompt, onUnqueue } from "./prompts.ts";
import { onRecovered } from "./recover.ts";
import { onCleared, onHeadMoved, onNoticed, onSettings } from "./settings.ts";
import type { EngineState } from "./state.ts";
import { onPrepared, onToolFinished } from "./tool-calls.ts";

/** What one input did. */
export type Step = { state: EngineState; facts: Fact[]; effects: Effect[] };

/** Signature of the pure core: no I/O, no clock, no randomness but what the envelope carries. */
export type Transition = (state: EngineState, input: Input, envelope: Envelope) => Step;

const COMMANDS_REMEMBERED = 50;

/**
 * The whole engine. An input that does not fit the phase changes nothing, and the very same state comes back;
 * a client's command that was carried out before changes nothing either.
 */
export const transition: Transition = (state, input, envelope) => {
  const draft = openDraft(state, envelope);
  const commandId = "commandId" in input ? input.commandId : null;
  if (commandId !== null && state.recentCommands.includes(commandId)) {
    return { state, facts: [], effects: [] };
  }
  handle(draft, input);
  if (commandId !== null && (draft.state !== state || draft.facts.length > 0)) {
    change(draft, { recentCommands: [...state.recentCommands, commandId].slice(-COMMANDS_REMEMBERED) });
  }
  return { state: draft.state, facts: draft.facts, effects: draft.effects };
};

function handle(draft: Draft, input: Input): void {
  switch (input.type) {
    case "prompt":
      return onPrompt(draft, input);
    case "unqueue":
      return onUnqueue(draft, input);
    case "interrupt":
      return onInterrupt(draft, input);
    case "approval_answered":
      return onAnswered(draft, input);
    case "model_finished":
      return onModelFinished(draft, input);
    case "model_failed":
      return onModelFailed(draft, input);
    case "model_unreachable":
      return onUnreachable(draft, input);
    case "context_full":
      return onContextFull(draft, input);
    case "tools_prepared":
      return onPrepared(draft, input);
    case "tool_finished":
      return onToolFinished(draft, input);
    case "tool_asks":
      return onToolAsks(draft, input);
    case "timer_fired":
      return onTimer(draft, input);
    case "compaction_finished":
      return onCompacted(draft, input);
    case "compact_requested":
      return onCompactRequested(draft, input);
    case "settings_changed":
      return onSettings(draft, input);
    case "cleared":
      return onCleared(draft);
    case "head_moved":
      return onHeadMoved(draft, input);
    case "noticed":
      return onNoticed(draft, input);
    case "skill_loaded":
      return takeFact(draft, input);
    case "client_arrived":
      return onClientArrived(draft);
    case "recovered":
      return onRecovered(draft);
  }
}

import type { ContentBlock, ToolCallBlock, Usage } from "../protocol/message.ts";
import { isCalling } from "./calling.ts";
import { squeeze } from "./compaction.ts";
import { addMessage, change, changeTurn, type Draft, enter, notice } from "./draft.ts";
import type { Input } from "./input.ts";
import { answerAll, storeResults } from "./results.ts";
import type { InterruptBy } from "./state.ts";
import { interruptedText } from "./texts.ts";
import { endTurn, finishTurn, goOn } from "./turn.ts";
import { addUsage, isKnown } from "./usage.ts";

type Finished = Extract<Input, { type: "model_finished" }>;

const MAX_EMPTY = 3;
const MAX_CUTS = 3;
/** A provider that pauses for ever is broken. */
const MAX_PAUSES = 50;

/** The model's message is whole. */
export function onModelFinished(draft: Draft, input: Finished): void {
  const { phase, interrupting, turn } = draft.state;
  if (!turn || !isCalling(phase) || phase.effectId !== input.effectId) return;
  countCall(draft, input.model, input.usage);
  changeTurn(draft, { steps: turn.steps + 1 });
  const calls = input.content.filter((block) => block.type === "tool_call");
  const says = calls.length > 0 || textOf(input.content).trim() !== "";
  if (says) addReply(draft, input);
  openCalls(draft, calls);
  if (interrupting) return closeInterrupted(draft, interrupting.by);
  if (phase.type === "wrapping_up") {
    closeUnrun(draft, "Not run: the limit of this turn is reached and it ends now.");
    return endTurn(draft, { type: "limit", limit: phase.limit });
  }
  if (input.stopReason === "refusal") return onRefused(draft, says, input.note);
  if (input.stopReason === "context_exceeded") return onWindowFull(draft);
  changeTurn(draft, { squeezes: 0 });
  if (calls.length > 0) return prepareCalls(draft, calls);
  if (input.stopReason === "max_tokens") return onCut(draft);
  if (!says) return onEmpty(draft);
  changeTurn(draft, { emptyReplies: 0, cuts: 0 });
  if (input.stopReason === "pause_turn") return onPaused(draft);
  changeTurn(draft, { pauses: 0 });
  finishTurn(draft);
}

export const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/** Time and usage of a call that failed; one that tells no usage cost nothing as far as is known. */
export function countFailedCall(draft: Draft, failed: { model: string; usage: Usage }): void {
  if (isKnown(failed.usage)) countCall(draft, failed.model, failed.usage);
  else countTime(draft);
}

function countTime(draft: Draft): void {
  const { turn, phase } = draft.state;
  if (turn && isCalling(phase)) changeTurn(draft, { apiMs: turn.apiMs + (draft.now - phase.startedAt) });
}

function countCall(draft: Draft, model: string, usage: Usage): void {
  countTime(draft);
  const { turn, phase } = draft.state;
  if (!turn) return;
  const purpose = phase.type === "wrapping_up" ? ("wrap_up" as const) : ("step" as const);
  draft.facts.push({ type: "usage_added", model, purpose, usage });
  change(draft, { usage: addUsage(draft.state.usage, usage) });
  changeTurn(draft, { usage: addUsage(turn.usage, usage) });
  if (turn.settings.limits.maxCostUsd !== null && turn.usage.cost !== null && usage.cost === null) {
    const text = `The price of ${model} is not known, so the cost limit of this turn cannot be kept.`;
    notice(draft, "warning", "cost_unknown", text);
  }
}

/** The parts of an answer that was paused or cut are one text. */
function addReply(draft: Draft, input: Finished): void {
  const { content, model, stopReason, usage } = input;
  addMessage(draft, { role: "assistant", kind: "reply", origin: "model", content, model, stopReason, usage });
  const { turn } = draft.state;
  const text = textOf(content);
  if (!turn || text.trim() === "") return;
  changeTurn(draft, { lastText: turn.cuts + turn.pauses > 0 ? turn.lastText + text : text });
}

function openCalls(draft: Draft, calls: readonly ToolCallBlock[]): void {
  const { turn } = draft.state;
  if (!turn || calls.length === 0) return;
  changeTurn(draft, { toolCalls: turn.toolCalls + calls.length, emptyReplies: 0, cuts: 0, pauses: 0 });
  change(draft, {
    calls: calls.map(({ id, name, input, invalid }) => ({
      id,
      name,
      input,
      status: "preparing" as const,
      ...(invalid ? { invalid } : {}),
    })),
  });
}

function prepareCalls(draft: Draft, calls: ToolCallBlock[]): void {
  const { turn } = draft.state;
  if (!turn) return;
  const { runId } = turn;
  for (const call of draft.state.calls) draft.facts.push({ type: "call_changed", runId, call });
  const effectId = draft.newId();
  enter(draft, { type: "preparing_tools", effectId });
  const { interactive } = turn.settings;
  draft.effects.push({ type: "prepare_tools", effectId, runId, calls, interactive });
}

/** Answers the calls of a reply that ends the turn. */
function closeUnrun(draft: Draft, text: string): void {
  answerAll(draft, "error", text);
  storeResults(draft);
}

function closeInterrupted(draft: Draft, by: InterruptBy): void {
  answerAll(draft, "interrupted", interruptedText(by, "before"));
  storeResults(draft);
  endTurn(draft, { type: "interrupted", by });
}

/** A refusal without words must not leave the conversation with a prompt that nobody answered. */
function onRefused(draft: Draft, says: boolean, note: string | undefined): void {
  const text = "[The model refused to answer.]";
  if (!says) {
    const content = [{ type: "text" as const, text }];
    addMessage(draft, {
      role: "assistant",
      kind: "reply",
      origin: "harness",
      content,
      stopReason: "refusal",
    });
  }
  closeUnrun(draft, "Not run: the model refused in the same answer.");
  endTurn(draft, { type: "refused", message: note ?? "the model refused to answer" });
}

/** The window was full in mid-answer: what is older is made shorter, and the model goes on where it stopped. */
function onWindowFull(draft: Draft): void {
  closeUnrun(draft, "Not run: the answer was cut because the context window is full.");
  changeTurn(draft, { cuts: (draft.state.turn?.cuts ?? 0) + 1 });
  remind(
    draft,
    "Your answer was cut because the context window was full. Go on exactly where it stopped; do not repeat anything.",
  );
  squeeze(draft, "cut", "the model's context window is full");
}

/** The provider paused its own work: the same conversation again, with nothing added. */
function onPaused(draft: Draft): void {
  const pauses = (draft.state.turn?.pauses ?? 0) + 1;
  changeTurn(draft, { pauses });
  if (pauses <= MAX_PAUSES) return goOn(draft, "held");
  endTurn(draft, { type: "cut", message: `the model paused its answer ${pauses} times` });
}

/** An answer with nothing in it: asked once more as it was, then with a word, then it is a failure. */
function onEmpty(draft: Draft): void {
  const emptyReplies = (draft.state.turn?.emptyReplies ?? 0) + 1;
  changeTurn(draft, { emptyReplies });
  if (emptyReplies >= MAX_EMPTY) {
    const message = `the model answered nothing (asked ${MAX_EMPTY} times)`;
    return endTurn(draft, { type: "failed", error: { kind: "server", message } });
  }
  if (emptyReplies === MAX_EMPTY - 1)
    remind(draft, "Your last answer was empty. Answer, or go on with the task.");
  goOn(draft);
}

/** The output limit cut the answer: the model goes on where it stopped, a few times at most. */
function onCut(draft: Draft): void {
  const cuts = (draft.state.turn?.cuts ?? 0) + 1;
  changeTurn(draft, { cuts, emptyReplies: 0 });
  if (cuts > MAX_CUTS) {
    return endTurn(draft, { type: "cut", message: `the answer was cut by the output limit ${cuts} times` });
  }
  remind(
    draft,
    "Your answer was cut by the output limit. Go on exactly where it stopped; do not repeat anything.",
  );
  goOn(draft);
}

function remind(draft: Draft, text: string): void {
  const content = [{ type: "reminder" as const, text }];
  addMessage(draft, { role: "user", kind: "prompt", origin: "harness", content });
}

import type { ContentBlock, StopReason, ToolCallBlock } from "../protocol/message.ts";
import { addMessage, change, changeTurn, type Draft, enter } from "./draft.ts";
import type { Input } from "./input.ts";
import { answerAll, storeResults } from "./results.ts";
import { deliverSteering, endDone, endTurn, goOn } from "./turn.ts";
import { addUsage, isKnown } from "./usage.ts";

type Finished = Extract<Input, { type: "model_finished" }>;

const MAX_EMPTY = 3;
const MAX_CUTS = 3;

/** The model's message is whole. */
export function onModelFinished(draft: Draft, input: Finished): void {
  const { phase, interrupting, turn } = draft.state;
  if (!turn || !isCalling(phase) || phase.effectId !== input.effectId) return;
  countCall(draft, input, phase.startedAt);
  changeTurn(draft, { steps: turn.steps + 1 });
  const calls = input.content.filter((block) => block.type === "tool_call");
  const says = calls.length > 0 || input.content.some((block) => block.type === "text");
  if (says) addReply(draft, input);
  openCalls(draft, calls);
  if (interrupting) {
    answerAll(draft, "interrupted", "Interrupted by the user before it ran.");
    storeResults(draft);
    return endTurn(draft, { type: "interrupted", by: interrupting.by });
  }
  if (phase.type === "wrapping_up") {
    answerAll(draft, "error", "The limit of this turn is reached; nothing more is run.");
    storeResults(draft);
    return endTurn(draft, { type: "limit", limit: phase.limit });
  }
  if (calls.length > 0) return prepare(draft, calls);
  if (input.stopReason === "refusal") return refused(draft, says, input.note);
  if (!says) return onEmpty(draft);
  changeTurn(draft, { emptyReplies: 0 });
  onSaid(draft, input.stopReason);
}

/** Both phases that wait for a model's answer. */
export function isCalling(phase: {
  type: string;
}): phase is
  | Extract<Draft["state"]["phase"], { type: "calling_model" }>
  | Extract<Draft["state"]["phase"], { type: "wrapping_up" }> {
  return phase.type === "calling_model" || phase.type === "wrapping_up";
}

/** Usage and time of one call, kept whether it ended well or not. */
export function countCall(draft: Draft, input: Pick<Finished, "usage" | "model">, startedAt: number): void {
  const { turn, phase } = draft.state;
  if (!turn) return;
  changeTurn(draft, { apiMs: turn.apiMs + (draft.now - startedAt) });
  if (!isKnown(input.usage)) return;
  changeTurn(draft, { usage: addUsage(turn.usage, input.usage) });
  change(draft, { usage: addUsage(draft.state.usage, input.usage) });
  const purpose = phase.type === "wrapping_up" ? ("wrap_up" as const) : ("step" as const);
  draft.facts.push({ type: "usage_added", model: input.model, purpose, usage: input.usage });
}

function addReply(draft: Draft, input: Finished): void {
  addMessage(draft, {
    role: "assistant",
    kind: "reply",
    origin: "model",
    content: input.content,
    model: input.model,
    stopReason: input.stopReason,
    usage: input.usage,
  });
  const text = textOf(input.content);
  if (text !== "") changeTurn(draft, { lastText: text });
}

export const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

function openCalls(draft: Draft, calls: readonly ToolCallBlock[]): void {
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

function prepare(draft: Draft, calls: ToolCallBlock[]): void {
  const { turn } = draft.state;
  if (!turn) return;
  changeTurn(draft, { toolCalls: turn.toolCalls + calls.length, emptyReplies: 0, cuts: 0 });
  const effectId = draft.newId();
  enter(draft, { type: "preparing_tools", effectId });
  draft.effects.push({
    type: "prepare_tools",
    effectId,
    runId: turn.runId,
    calls,
    interactive: turn.settings.interactive,
  });
}

/** A refusal without words must not leave the conversation with a prompt that nobody answered. */
function refused(draft: Draft, says: boolean, note: string | undefined): void {
  if (!says) {
    const content = [{ type: "text" as const, text: "[The model refused to answer.]" }];
    addMessage(draft, {
      role: "assistant",
      kind: "reply",
      origin: "harness",
      content,
      stopReason: "refusal",
    });
  }
  const message = note ?? (says ? (draft.state.turn?.lastText ?? "") : "the model refused to answer");
  endTurn(draft, { type: "refused", message });
}

/** An answer with nothing in it: asked once more as it was, then with a word, then it is a failure. */
function onEmpty(draft: Draft): void {
  const emptyReplies = (draft.state.turn?.emptyReplies ?? 0) + 1;
  changeTurn(draft, { emptyReplies });
  if (emptyReplies >= MAX_EMPTY) {
    const message = `the model answered nothing ${MAX_EMPTY} times`;
    return endTurn(draft, { type: "failed", error: { kind: "server", message } });
  }
  if (emptyReplies === MAX_EMPTY - 1)
    remind(draft, "Your last answer was empty. Answer, or go on with the task.");
  goOn(draft);
}

function onSaid(draft: Draft, stopReason: StopReason): void {
  switch (stopReason) {
    case "pause_turn":
      return goOn(draft);
    case "max_tokens":
      return onCut(draft);
    case "context_exceeded":
      return endTurn(draft, {
        type: "failed",
        error: {
          kind: "context_exceeded",
          message: "the model's context window is full; start over with /clear",
        },
      });
    default:
      if (deliverSteering(draft)) return goOn(draft);
      endDone(draft);
  }
}

/** The output limit cut the answer: the model goes on where it stopped, a few times at most. */
function onCut(draft: Draft): void {
  const cuts = (draft.state.turn?.cuts ?? 0) + 1;
  changeTurn(draft, { cuts });
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
  addMessage(draft, {
    role: "user",
    kind: "prompt",
    origin: "harness",
    content: [{ type: "reminder", text }],
  });
}

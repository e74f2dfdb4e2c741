import type { Fact } from "../../protocol/event.ts";
import type { ContentBlock, Message, StopReason, ToolResultBlock, Usage } from "../../protocol/message.ts";
import type { Approval, ApprovalAnswer, Grant } from "../../protocol/permission.ts";
import type { FailureInfo } from "../../protocol/session.ts";
import type { Effect } from "../effect.ts";
import { initialState } from "../initial.ts";
import type { Input, PreparedCall } from "../input.ts";
import type { EngineState, InterruptBy, TurnSettings } from "../state.ts";
import { type Step, transition } from "../transition.ts";
import { audit, callsOf, okResult, run, settings, UNKNOWN_USAGE, USAGE } from "./values.ts";

/** Freezes a value and all in it, so that a change in place throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** An engine that is driven by hand: its state, and the facts and effects of all inputs so far. */
export class TestEngine {
  state: EngineState = deepFreeze(initialState({ sessionId: "s1", model: "test/model", mode: "ask" }));
  now = 1_000_000;
  random = 0;
  readonly all = { facts: [] as Fact[], effects: [] as Effect[] };
  #count = 0;

  /** A fresh id, of the same row as those in the envelopes. */
  id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  /** Handles one input with frozen state and input, and exactly the ids that the envelope promises. */
  send(input: Input): Step {
    const proposed = input.type === "model_finished" ? callsOf(input.content).length : 0;
    const count = 8 + 3 * Math.max(this.state.calls.length, proposed);
    const ids = Array.from({ length: count }, () => this.id("id"));
    const step = transition(this.state, deepFreeze(input), { now: this.now, ids, random: this.random });
    this.state = deepFreeze(step.state);
    this.all.facts.push(...step.facts);
    this.all.effects.push(...step.effects);
    return step;
  }

  prompt(words: string, more: { delivery?: "steer" | "queue"; settings?: Partial<TurnSettings> } = {}): Step {
    const promptId = this.id("p");
    return this.send({
      type: "prompt",
      commandId: `c-${promptId}`,
      promptId,
      content: [{ type: "text", text: words }],
      delivery: more.delivery ?? "steer",
      settings: settings(more.settings),
    });
  }

  /** The model's answer to the call that runs now. */
  reply(content: ContentBlock[], stopReason?: StopReason, usage: Usage = USAGE): Step {
    const reason = stopReason ?? (callsOf(content).length > 0 ? "tool_use" : "end_turn");
    const effectId = this.effectId();
    return this.send({
      type: "model_finished",
      effectId,
      content,
      stopReason: reason,
      usage,
      model: "test/model",
    });
  }

  /** The model call that runs now fails; retryable, with nothing received, unless told otherwise. */
  fail(error: FailureInfo, more: Partial<Extract<Input, { type: "model_failed" }>> = {}): Step {
    return this.send({
      type: "model_failed",
      effectId: this.effectId(),
      error,
      retryable: true,
      retryAfterMs: null,
      partial: [],
      usage: UNKNOWN_USAGE,
      model: "test/model",
      ...more,
    });
  }

  prepared(calls: PreparedCall[]): Step {
    return this.send({ type: "tools_prepared", effectId: this.effectId(), calls });
  }

  /** All calls in hand may run. */
  runAll(): Step {
    return this.prepared(this.state.calls.map(({ id }) => run(id)));
  }

  finish(callId: string, result: Partial<ToolResultBlock> = {}, denied = false): Step {
    const effectId = this.effectOf(callId);
    const whole = { ...okResult(callId), ...result };
    return this.send({ type: "tool_finished", callId, effectId, result: whole, denied, facts: [] });
  }

  answer(approval: Approval, answer: ApprovalAnswer, grants: Grant[] = []): Step {
    const row = audit(approval.callId ?? "none");
    const commandId = this.id("a");
    return this.send({
      type: "approval_answered",
      commandId,
      approval,
      answer,
      by: "tester",
      grants,
      audit: row,
    });
  }

  interrupt(by: InterruptBy = "user"): Step {
    return this.send({ type: "interrupt", commandId: null, by });
  }

  timer(): Step {
    return this.send({ type: "timer_fired", effectId: this.effectId() });
  }

  /** As after a death of the daemon: the state comes from its JSON. */
  restart(): Step {
    this.state = deepFreeze(JSON.parse(JSON.stringify(this.state)) as EngineState);
    return this.send({ type: "recovered" });
  }

  /** Effect id of the phase. */
  effectId(): string {
    return "effectId" in this.state.phase ? this.state.phase.effectId : "none";
  }

  effectOf(callId: string): string {
    const call = this.state.calls.find(({ id }) => id === callId);
    return call && "effectId" in call && call.effectId ? call.effectId : "none";
  }

  turnsFinished(): Extract<Fact, { type: "turn_finished" }>[] {
    return this.all.facts.filter((fact) => fact.type === "turn_finished");
  }

  messages(): Message[] {
    return this.all.facts.flatMap((fact) => (fact.type === "message_added" ? [fact.message] : []));
  }

  effects<T extends Effect["type"]>(type: T): Extract<Effect, { type: T }>[] {
    return this.all.effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
  }
}

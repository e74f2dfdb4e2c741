import type { ContentBlock, StopReason, ToolCallBlock, Usage } from "../../protocol/message.ts";
import type { Approval } from "../../protocol/permission.ts";
import type { FailureKind, Limits } from "../../protocol/session.ts";
import type { Effect } from "../effect.ts";
import type { Input, PreparedCall } from "../input.ts";
import type { Step } from "../transition.ts";
import { TestEngine } from "./engine.ts";
import {
  approval,
  ask,
  audit,
  call,
  deny,
  okResult,
  run,
  settings,
  text,
  UNKNOWN_USAGE,
  USAGE,
} from "./values.ts";
import { checkPrompts, checkStep, type Ledger, openLedger } from "./walk-checks.ts";

/** Draws numbers; `of(n)` is 0 <= x < n. */
export type Dice = { of(sides: number): number };

type Working = Exclude<Effect, { type: "cancel" | "release_run" | "answer_tool" }>;

const REASONS: StopReason[] = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "context_exceeded",
];
const KINDS: FailureKind[] = ["rate_limit", "network", "timeout", "authentication", "context_exceeded"];
const STATUSES = ["ok", "error", "denied", "interrupted"] as const;

/** A daemon, its model, tools, user and power supply, all of them unreliable. */
export class World {
  readonly engine = new TestEngine();
  readonly ledger: Ledger = openLedger();
  /** Effects that were started and did not answer yet. */
  #pending = new Map<string, Working>();
  /** Answers that came already, and answers of effects that were dropped: to be sent again, late. */
  #late: Input[] = [];
  #asked: Approval[] = [];
  #sent: string[] = [];
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** One thing happens. */
  step(): void {
    this.engine.now += this.#dice.of(3) * 700;
    this.engine.random = this.#dice.of(100) / 100;
    const happening = this.#dice.of(24);
    if (happening < 13) this.#answerSome();
    else if (happening < 15) this.#prompt();
    else if (happening === 15) this.#interrupt();
    else if (happening === 16) this.#crash();
    else if (happening < 20) this.#userAnswers();
    else if (happening === 20) this.#toolAsks();
    else if (happening === 21) this.#lateAnswer();
    else this.#command();
  }

  /** Lets everything come to its end: afterwards the session is idle and nothing waits. */
  drain(): void {
    this.#settle();
    if (this.engine.state.queue.length > 0) {
      this.#prompt(true);
      this.#settle();
    }
    const { state } = this.engine;
    if (state.queue.length > 0) throw new Error("prompts wait for ever");
    if ([...this.ledger.turns.values()].some((ends) => ends !== 1)) throw new Error("a turn without one end");
    if (this.ledger.openApprovals.size > 0) throw new Error("an approval stays open");
    checkPrompts(this.ledger, state, this.#sent);
  }

  #settle(): void {
    for (let count = 0; this.engine.state.phase.type !== "idle"; count++) {
      if (count > 2000) throw new Error(`never idle: ${JSON.stringify(this.engine.state.phase)}`);
      this.engine.now += 1000;
      const [effect] = this.#pending.values();
      const [open] = this.engine.state.approvals;
      if (this.engine.state.phase.type === "needs_client") this.#send({ type: "client_arrived" });
      else if (open) this.#answer(open, false);
      else if (effect) this.#answerEffect(effect, true);
      else throw new Error("nothing runs and nobody is asked");
    }
  }

  #send(input: Input): Step {
    const step = this.engine.send(input);
    checkStep(this.ledger, step);
    for (const effect of step.effects) this.#start(effect);
    this.#checkAlive();
    checkPrompts(this.ledger, step.state, this.#sent);
    return step;
  }

  #start(effect: Effect): void {
    if (effect.type === "answer_tool" || effect.type === "release_run") return;
    if (effect.type !== "cancel") {
      this.#pending.set(effect.effectId, effect);
      return;
    }
    for (const id of effect.effectIds) {
      const stopped = this.#pending.get(id);
      // Model calls and tools have a last word; the others are silent.
      if (stopped?.type === "call_model" || stopped?.type === "run_tool") continue;
      this.#pending.delete(id);
    }
  }

  /** Whatever is not idle waits for something that can still come. */
  #checkAlive(): void {
    const { phase, calls, approvals } = this.engine.state;
    if ("effectId" in phase && !this.#pending.has(phase.effectId)) {
      throw new Error(`${phase.type} waits for an effect that was not started`);
    }
    if (phase.type !== "running_tools") return;
    if (calls.every(({ status }) => status === "done"))
      throw new Error("all calls are done, nothing goes on");
    for (const known of calls) {
      if (known.status === "preparing") throw new Error("a call was left undecided");
      if (known.status === "done") continue;
      const runs = known.effectId !== null && this.#pending.has(known.effectId);
      const asks = known.effectId === null && approvals.some((open) => open.callId === known.id);
      if (!runs && !asks) throw new Error(`call ${known.id} waits for nothing`);
    }
  }

  #pick<T>(values: readonly T[]): T | undefined {
    return values[this.#dice.of(Math.max(1, values.length))];
  }

  #answerSome(): void {
    const effect = this.#pick([...this.#pending.values()]);
    if (effect) this.#answerEffect(effect, false);
    else if (this.engine.state.phase.type === "needs_client") this.#send({ type: "client_arrived" });
  }

  #answerEffect(effect: Working, kindly: boolean): void {
    this.#pending.delete(effect.effectId);
    const input = this.#answerOf(effect, kindly);
    this.#late.push(input);
    if (this.#late.length > 20) this.#late.shift();
    this.#send(input);
  }

  #answerOf(effect: Working, kindly: boolean): Input {
    const { effectId } = effect;
    switch (effect.type) {
      case "call_model":
        return effect.checkRoom && !kindly && this.#dice.of(6) === 0
          ? { type: "context_full", effectId, estimate: this.#dice.of(50) }
          : this.#modelAnswer(effectId, kindly);
      case "prepare_tools":
        return { type: "tools_prepared", effectId, calls: this.#decisions(effect.calls) };
      case "run_tool": {
        const status = kindly ? "ok" : (this.#pick(STATUSES) ?? "ok");
        const result = okResult(effect.call.id, status);
        const denied = status === "denied";
        return { type: "tool_finished", callId: effect.call.id, effectId, result, denied, facts: [] };
      }
      case "start_timer":
        return { type: "timer_fired", effectId };
      case "compact": {
        const summary = this.#dice.of(2) === 0 ? null : this.#summary();
        const estimate = this.#dice.of(50);
        return {
          type: "compaction_finished",
          effectId,
          summary,
          estimate,
          usage: USAGE,
          model: "m",
          warning: null,
        };
      }
    }
  }

  #summary() {
    const head = {
      id: this.engine.id("sum"),
      sessionId: "s1",
      parentId: this.engine.state.head,
      runId: null,
      createdAt: 0,
    };
    const content = [text("so far")];
    return { ...head, role: "user" as const, kind: "summary" as const, origin: "harness" as const, content };
  }

  #modelAnswer(effectId: string, kindly: boolean): Input {
    const usage: Usage = this.#dice.of(3) === 0 ? UNKNOWN_USAGE : USAGE;
    const answer = { effectId, usage, model: "test/model" };
    const fate = kindly ? 0 : this.#dice.of(10);
    if (fate === 9) return { type: "model_unreachable", effectId, missing: "KEY" };
    if (fate >= 7) {
      const partial = this.#dice.of(2) === 0 ? [] : [{ type: "text" as const, text: "half" }];
      const error = { kind: this.#pick(KINDS) ?? "network", message: "broken" };
      const retryAfterMs = this.#dice.of(4) === 0 ? 5000 : null;
      return {
        ...answer,
        type: "model_failed",
        error,
        retryable: this.#dice.of(4) > 0,
        retryAfterMs,
        partial,
      };
    }
    if (kindly) return { ...answer, type: "model_finished", content: [text("done")], stopReason: "end_turn" };
    const content = this.#content();
    return { ...answer, type: "model_finished", content, stopReason: this.#pick(REASONS) ?? "end_turn" };
  }

  #content(): ContentBlock[] {
    const content: ContentBlock[] = [];
    if (this.#dice.of(6) === 0) content.push({ type: "thinking", text: "hm", source: "test/model" });
    if (this.#dice.of(3) > 0) content.push(text(this.#dice.of(8) === 0 ? " " : "words"));
    for (let count = this.#dice.of(5) - 1; count > 0; count--) {
      const block = call(this.engine.id("call"));
      content.push(this.#dice.of(6) === 0 ? { ...block, invalid: { raw: "{", reason: "cut" } } : block);
    }
    return content;
  }

  #decisions(calls: readonly ToolCallBlock[]): PreparedCall[] {
    const allDenied = this.#dice.of(4) === 0;
    const decisions = calls.flatMap(({ id }) => {
      const fate = allDenied ? 7 : this.#dice.of(10);
      if (fate < 4) return [run(id)];
      if (fate >= 9) return [];
      if (fate >= 7) return [deny(id)];
      const asked = ask(id, this.engine.id("ap"));
      if (asked.type === "ask") this.#asked.push(asked.approval);
      return [asked];
    });
    return this.#dice.of(2) === 0 ? decisions : decisions.reverse();
  }

  #prompt(unlimited = false): void {
    const promptId = this.engine.id("p");
    const limits = unlimited ? {} : this.#limits();
    this.#sent.push(promptId);
    const none = settings();
    this.#send({
      type: "prompt",
      commandId: `c-${promptId}`,
      promptId,
      content: [text(promptId)],
      delivery: this.#dice.of(3) === 0 ? "queue" : "steer",
      settings: { ...none, interactive: this.#dice.of(2) === 0, limits: { ...none.limits, ...limits } },
    });
  }

  #limits(): Partial<Limits> {
    const value = this.#dice.of(4);
    return (
      [
        {},
        {},
        {},
        { maxSteps: value },
        { maxToolCalls: value },
        { maxTokens: value * 15 },
        { maxCostUsd: value },
        { maxSeconds: value * 4 },
      ][this.#dice.of(8)] ?? {}
    );
  }

  #interrupt(): void {
    // A summary that is stopped leaves what waits, as a turn does.
    if (this.engine.state.phase.type === "compacting") this.ledger.lastEnd = "interrupted";
    this.#send({ type: "interrupt", commandId: null, by: this.#dice.of(2) === 0 ? "user" : "shutdown" });
  }

  /** The daemon dies: what ran is gone, and its answers never come or come from a ghost. */
  #crash(): void {
    for (const effect of this.#pending.values()) this.#late.push(this.#answerOf(effect, false));
    this.#pending.clear();
    this.engine.state = JSON.parse(JSON.stringify(this.engine.state)) as typeof this.engine.state;
    this.#send({ type: "recovered" });
  }

  #userAnswers(): void {
    const open = this.#dice.of(5) === 0 ? this.#pick(this.#asked) : this.#pick(this.engine.state.approvals);
    if (open) this.#answer(open, this.#dice.of(2) === 0);
  }

  #answer(open: Approval, yes: boolean): void {
    const answer = yes
      ? ({ type: "allow", scope: "once" } as const)
      : this.#dice.of(3) === 0
        ? ({ type: "reply", text: "other" } as const)
        : ({ type: "deny" } as const);
    const commandId = this.engine.id("a");
    const row = audit(open.callId ?? "none");
    this.#send({
      type: "approval_answered",
      commandId,
      approval: open,
      answer,
      by: "u",
      grants: [],
      audit: row,
    });
  }

  #toolAsks(): void {
    const running = [...this.#pending.values()].filter((effect) => effect.type === "run_tool");
    const effect = this.#pick(running);
    if (effect?.type !== "run_tool") return;
    const asked = approval(effect.call.id, this.engine.id("q"));
    this.#asked.push(asked);
    this.#send({ type: "tool_asks", callId: effect.call.id, effectId: effect.effectId, approval: asked });
  }

  #lateAnswer(): void {
    const input = this.#pick(this.#late);
    const answers = input && "effectId" in input && this.#pending.has(input.effectId);
    if (!input || answers) return;
    const before = this.engine.state;
    if (this.#send(input).state !== before) throw new Error(`a late ${input.type} changed something`);
  }

  #command(): void {
    const commandId = this.#dice.of(4) === 0 ? "the same" : this.engine.id("c");
    const { head, queue } = this.engine.state;
    const inputs: Input[] = [
      { type: "unqueue", commandId, promptId: this.#pick(queue)?.id ?? "none" },
      { type: "settings_changed", commandId, model: `m${this.#dice.of(3)}`, mode: "auto" },
      { type: "cleared", commandId },
      { type: "compact_requested", commandId, focus: null },
      { type: "head_moved", commandId, head },
      { type: "client_arrived" },
      { type: "noticed", level: "info", code: "x", text: "y" },
    ];
    const input = this.#pick(inputs);
    if (input) this.#send(input);
  }
}

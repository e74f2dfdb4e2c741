import type { Effect } from "../../engine/effect.ts";
import type { Input } from "../../engine/input.ts";
import type { EngineState } from "../../engine/state.ts";
import type { Transition } from "../../engine/transition.ts";
import type { Fact, NumberedFact } from "../../protocol/event.ts";
import type { CommandId, Json } from "../../protocol/ids.ts";
import type { Clock, IdSource } from "../../protocol/ports.ts";
import type { SessionInfo } from "../../protocol/session.ts";
import type { Durability, Store } from "../../protocol/store-port.ts";
import { AppError } from "../../shared/error.ts";
import { projectSession } from "./projection.ts";

/** What an actor needs from around it. */
export type ActorPorts = {
  store: Store;
  transition: Transition;
  clock: Clock;
  ids: IdSource;
  random(): number;
  /** Called after the commit, in order, once per fact. */
  publish(facts: NumberedFact[]): void;
  /** Called after publishing; must not throw. */
  startEffect(effect: Effect): void;
  /** The actor cannot go on (disk full, database broken): it is dropped and reloaded on next use. */
  halted(error: Error): void;
};

/** A client's command: carried out once; a repeat gets the answer of the first time. */
export type Command = {
  id: CommandId;
  /** The answer, from the state before the input and the facts that it made. */
  answer(before: { state: EngineState; seq: number }, facts: readonly Fact[]): Json;
};

/** What came of an input. `answer` is null without a command. */
export type Handled = { facts: NumberedFact[]; answer: Json };

type Mail = {
  input: Input;
  command?: Command;
  resolve: (handled: Handled) => void;
  reject: (error: Error) => void;
};

/**
 * One mailbox per session. All that happens to the session is an input, handled one at a time: transition,
 * commit, publish, start effects, always in that order. A commit that fails halts the actor: memory then
 * holds nothing that the store does not, and the next use loads the session as after a crash.
 */
export class SessionActor {
  #state: EngineState;
  #session: SessionInfo;
  #seq: number;
  #mail: Mail[] = [];
  #working = false;
  #worked: Promise<void> = Promise.resolve();
  #halted: Error | null = null;
  readonly #ports: ActorPorts;

  constructor(start: { state: EngineState; session: SessionInfo; seq: number }, ports: ActorPorts) {
    this.#state = start.state;
    this.#session = start.session;
    this.#seq = start.seq;
    this.#ports = ports;
  }

  get state(): EngineState {
    return this.#state;
  }

  get session(): SessionInfo {
    return this.#session;
  }

  /** Number of the last committed fact. */
  get seq(): number {
    return this.#seq;
  }

  get busy(): boolean {
    return this.#working || this.#mail.length > 0 || this.#state.phase.type !== "idle";
  }

  /** Puts an input in the mailbox; resolves once it is committed, rejects when the actor halted. */
  submit(input: Input, command?: Command): Promise<Handled> {
    return new Promise((resolve, reject) => {
      if (this.#halted) {
        reject(this.#halted);
        return;
      }
      this.#mail.push({ input, command, resolve, reject });
      if (!this.#working) this.#worked = this.#work();
    });
  }

  /** Like `submit` for inputs nobody waits for; a halted actor drops them. */
  post(input: Input): void {
    this.submit(input).catch(() => undefined);
  }

  /**
   * Takes no more inputs and resolves once the one in hand is stored. What ends from now on (effects that are
   * cancelled) is not recorded: the stored phase stays, and the next load goes on from it.
   */
  async stop(): Promise<void> {
    this.#halted ??= new AppError("stopping", "the daemon is ending; the session goes on in the next one");
    for (const mail of this.#mail.splice(0)) mail.reject(this.#halted);
    await this.#worked;
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let mail = this.#mail.shift(); mail; mail = this.#mail.shift()) {
      try {
        mail.resolve(await this.#handle(mail));
      } catch (error) {
        this.#halt(error instanceof Error ? error : new Error(String(error)), mail);
        break;
      }
    }
    this.#working = false;
  }

  async #handle(mail: Mail): Promise<Handled> {
    const { store, transition, clock, ids, random, publish, startEffect } = this.#ports;
    const { command } = mail;
    const repeated = command && (await store.commandAnswer(this.#session.id, command.id));
    if (repeated !== undefined) return { facts: [], answer: repeated };
    const now = clock.now();
    const fresh = Array.from({ length: idsNeeded(mail.input, this.#state) }, () => ids.next());
    const step = transition(this.#state, mail.input, { now, ids: fresh, random: random() });
    const answer = command?.answer({ state: this.#state, seq: this.#seq }, step.facts) ?? null;
    if (step.state === this.#state && step.facts.length === 0 && step.effects.length === 0) {
      return { facts: [], answer };
    }
    const session = projectSession(this.#session, step.state, step.facts, now);
    const facts = await store.commit({
      sessionId: session.id,
      expectedSeq: this.#seq,
      facts: step.facts,
      state: step.state as unknown as Json,
      session,
      command: command && { id: command.id, answer },
      at: now,
      durability: durabilityOf(mail.input),
    });
    this.#state = step.state;
    this.#session = session;
    this.#seq = facts.at(-1)?.seq ?? this.#seq;
    publish(facts);
    for (const effect of step.effects) startEffect(effect);
    return { facts, answer };
  }

  #halt(error: Error, current: Mail): void {
    this.#halted = error;
    current.reject(error);
    for (const mail of this.#mail.splice(0)) mail.reject(error);
    this.#ports.halted(error);
  }
}

/** Prompts, approvals and the intent to change something survive a power cut; the rest the death of the process. */
function durabilityOf(input: Input): Durability {
  switch (input.type) {
    case "prompt":
    case "approval_answered":
    case "settings_changed":
    case "cleared":
      return "full";
    case "tools_prepared":
      return input.calls.some((call) => call.type === "run" && call.changes) ? "full" : "normal";
    default:
      return "normal";
  }
}

const BASE_IDS = 16;
const IDS_PER_CALL = 3;

function idsNeeded(input: Input, state: EngineState): number {
  const calls =
    input.type === "model_finished"
      ? input.content.filter((block) => block.type === "tool_call").length
      : Math.max(state.calls.length, input.type === "tools_prepared" ? input.calls.length : 0);
  return BASE_IDS + IDS_PER_CALL * calls;
}

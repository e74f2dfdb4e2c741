import type { Client } from "../client/client.ts";
import { followSession } from "../client/follow-session.ts";
import { sendCommand } from "../client/send.ts";
import type { NumberedFact } from "../protocol/event.ts";
import { exitCodeOf } from "../protocol/outcome.ts";
import type { PromptPart } from "../protocol/rpc.ts";
import type { SessionInfo, SessionSnapshot } from "../protocol/session.ts";
import { type Deferred, deferred } from "../shared/async.ts";
import { AppError } from "../shared/error.ts";
import type { Flags } from "./args.ts";
import type { CliHost } from "./host.ts";
import type { RunOutput, TurnFinished } from "./output/run-output.ts";
import { applyFlags, clientContext, limitsOf } from "./session-of.ts";

/** How long an interrupted turn may take to close before the client leaves anyway. */
const INTERRUPT_WAIT_MS = 5000;
/** A turn begins with its prompts; one that has none of ours among so many facts is not ours. */
const MOST_EARLY = 100;

/** A session that is followed for the turns of this process alone. */
export type Run = {
  sessionId: string;
  /** Sends a prompt and resolves when it is stored. */
  send(content: PromptPart[]): Promise<void>;
  /** Sends a prompt and resolves with the end of its turn; everything of that turn has been put out by then. */
  turn(content: PromptPart[]): Promise<TurnFinished>;
  close(): void;
};

/** Opens the session, applies flags, and follows it; signals interrupt the turn and wait for its end. */
export async function followRun(
  client: Client,
  host: CliHost,
  flags: Flags,
  found: SessionInfo,
  output: RunOutput,
): Promise<Run> {
  const turns = createTurns(output);
  let opened: SessionSnapshot | null = null;
  const following = await followSession(client, found.id, {
    context: clientContext(host),
    history: 0,
    onSnapshot: (snapshot) => {
      opened ??= snapshot;
    },
    onFact: turns.fact,
    // Text that nobody is shown costs both sides more than the rest of a long answer.
    onDelta: flags.includePartial ? (delta) => turns.isOurs() && output.delta(delta) : undefined,
  });
  void following.ended.then((error) => error && turns.fail(error));
  const first = opened as SessionSnapshot | null;
  if (!first) throw new AppError("internal", "the daemon gave no snapshot", { audience: "developer" });
  const session = await applyFlags(client, host, flags, first.session);
  output.begin({ session, tools: first.tools, sandbox: first.sandbox, version: host.version });
  const stopSignals = interruptOnSignals(client, host, session.id, (code) =>
    turns.fail(new AppError(code, "interrupted")),
  );
  const send = async (content: PromptPart[]): Promise<void> => {
    turns.hold();
    const { promptId } = await sendCommand(client, "session.prompt", {
      sessionId: session.id,
      commandId: host.newId(),
      content,
      delivery: "queue",
      interactive: false,
      boundToClient: !flags.detach,
      limits: limitsOf(flags),
    });
    turns.expect(promptId);
  };
  return {
    sessionId: session.id,
    send,
    async turn(content) {
      const finished = turns.next();
      await Promise.race([send(content), finished]);
      return await finished;
    },
    close() {
      stopSignals();
      following.stop();
    },
  };
}

/**
 * Puts out the facts of one prompt's turn and of no other: a session may be at work for somebody else when the
 * prompt comes, and prompts that an interrupt had left waiting may share its turn. Facts that arrive before it
 * is known which prompt is ours wait.
 */
export function createTurns(output: Pick<RunOutput, "fact" | "finish">) {
  let waiting = quiet(deferred<TurnFinished>());
  let failure: AppError | null = null;
  let held: NumberedFact[] | null = null;
  let promptId: string | null = null;
  let runId: string | null = null;
  let early: NumberedFact[] = [];

  const isOurs = (): boolean => runId !== null;
  /** Before our prompt is delivered: the beginning of a turn that may be ours. */
  const seek = (numbered: NumberedFact): void => {
    const { fact } = numbered;
    if (fact.type === "turn_started") early = [numbered];
    else if (early.length > 0) early.push(numbered);
    else if (fact.type === "notice") output.fact(numbered);
    if (fact.type === "turn_finished" || early.length > MOST_EARLY) early = [];
    if (fact.type !== "message_added" || fact.message.id !== promptId) return;
    runId = fact.message.runId;
    for (const one of early.splice(0)) output.fact(one);
  };
  const take = (numbered: NumberedFact): void => {
    const { fact } = numbered;
    if (runId === null) return seek(numbered);
    output.fact(numbered);
    if (fact.type !== "turn_finished" || fact.runId !== runId) return;
    runId = null;
    promptId = null;
    output.finish(fact, exitCodeOf(fact.outcome));
    waiting.resolve(fact);
  };
  return {
    isOurs,
    /** Keeps facts until `expect` says which prompt to wait for. */
    hold: () => {
      held ??= [];
    },
    expect(id: string) {
      promptId = id;
      const facts = held ?? [];
      held = null;
      for (const fact of facts) take(fact);
    },
    fact(numbered: NumberedFact) {
      if (held) held.push(numbered);
      else take(numbered);
    },
    /** Resolves at the end of the next turn of ours, rejects when it cannot come. */
    next(): Promise<TurnFinished> {
      waiting = quiet(deferred<TurnFinished>());
      if (failure) waiting.reject(failure);
      return waiting.promise;
    },
    /** No turn of ours will end any more. */
    fail(error: AppError) {
      failure ??= error;
      waiting.reject(failure);
    },
  };
}

/** One whose rejection may find nobody waiting. */
function quiet<T>(one: Deferred<T>): Deferred<T> {
  one.promise.catch(() => undefined);
  return one;
}

function interruptOnSignals(
  client: Client,
  host: CliHost,
  sessionId: string,
  giveUp: (code: "interrupted" | "terminated") => void,
): () => void {
  let asked = false;
  const interrupt = (by: "user" | "terminated") => (): void => {
    const leave = (): void => giveUp(by === "user" ? "interrupted" : "terminated");
    if (asked) return leave();
    asked = true;
    client
      .call("session.interrupt", { sessionId, commandId: host.newId(), by })
      .then(({ interrupted }) => interrupted || leave(), leave);
    setTimeout(leave, INTERRUPT_WAIT_MS).unref();
  };
  const offs = [
    host.onSignal("SIGINT", interrupt("user")),
    host.onSignal("SIGTERM", interrupt("terminated")),
    host.onSignal("SIGHUP", interrupt("terminated")),
  ];
  return () => {
    for (const off of offs) off();
  };
}

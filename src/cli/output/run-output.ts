import type { Delta, Fact, NumberedFact } from "../../protocol/event.ts";
import type { SandboxState } from "../../protocol/ports.ts";
import type { SessionInfo } from "../../protocol/session.ts";

export type TurnFinished = Extract<Fact, { type: "turn_finished" }>;

/** What is known of a run when it begins. */
export type RunStart = { session: SessionInfo; tools: string[]; sandbox: SandboxState; version: string };

/** What an output format is told of a run, in order. Every format is made from the same events. */
export type RunOutput = {
  begin(start: RunStart): void;
  fact(fact: NumberedFact): void;
  delta(delta: Delta): void;
  /** The end of one turn, with the exit code it has. */
  finish(turn: TurnFinished, exitCode: number): void;
};

/** What commands ran in, in one word for results. */
export function sandboxWord(sandbox: SandboxState): string {
  return sandbox.type === "ready" ? sandbox.kind : sandbox.type === "off" ? "none" : "unavailable";
}

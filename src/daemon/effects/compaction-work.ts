import { type ContextSize, contextSize } from "../../context/compaction/context-size.ts";
import type { MadeCut } from "../../context/compaction/make-cut.ts";
import { type ShownHistory, shownHistory } from "../../context/compaction/shown-history.ts";
import { missingFacts } from "../../context/compaction/summary-message.ts";
import { transcriptLines, transcriptName } from "../../context/compaction/transcript.ts";
import { createRequestBuilder } from "../../context/request/build.ts";
import type { Effect } from "../../engine/effect.ts";
import type { Message, Usage } from "../../protocol/message.ts";
import type { ModelRef } from "../../protocol/model-port.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { errorMessage } from "../../shared/error.ts";
import type { SessionRuntime } from "../sessions/session-runtime.ts";
import type { EffectPorts } from "./effect-ports.ts";

/** What one attempt came to. `summary` is the message that cuts the history; null: nothing was done. */
export type Outcome = {
  summary: Message | null;
  estimate: number;
  usage: Usage | null;
  warning: string | null;
};

/** All that the ways of shortening look at. */
export type Work = {
  effect: Extract<Effect, { type: "compact" }>;
  runtime: SessionRuntime;
  ports: EffectPorts;
  signal: AbortSignal;
  model: ModelRef;
  prefix: { system: string; tools: ToolSpec[] };
  chain: Message[];
  shown: ShownHistory;
  size: ContextSize;
  budget: number;
};

/**
 * The message that cuts the history, if the history that comes of it is sound, tells all facts that must survive and
 * is shorter than before.
 */
export async function finished(work: Work, made: MadeCut): Promise<Outcome> {
  const { effect, runtime, ports, chain, prefix, model, size } = work;
  const summary: Message = {
    id: ports.ids.next(),
    sessionId: runtime.actor.session.id,
    parentId: effect.head,
    runId: effect.runId,
    role: "user",
    kind: "summary",
    origin: "harness",
    content: made.content,
    cut: made.cut,
    createdAt: ports.clock.now(),
  };
  const after = shownHistory([...chain, summary]);
  const { estimate } = contextSize(after, prefix, model.id);
  if (estimate >= size.estimate) {
    return failed(work, "what would take its place is longer than what it stands for");
  }
  const lost = missingFacts(after.messages, made.facts);
  if (lost.length > 0) return failed(work, `it would lose ${lost.length} facts that must be kept`);
  const problems = await problemsOf([...chain, summary], work);
  if (problems.length > 0) return failed(work, `the next request would not be valid (${problems[0]})`);
  return { summary, estimate, usage: null, warning: null };
}

async function problemsOf(messages: Message[], { runtime, ports, prefix, model }: Work): Promise<string[]> {
  const { problems } = await createRequestBuilder().build({
    messages,
    prefix,
    model,
    loadBlob: (hash) => ports.store.getBlob(hash),
    cacheKey: runtime.actor.session.id,
    // A conversation that waits for its user ends with the model's word: some question must follow.
    purpose: "compaction",
    ask: "?",
  });
  return problems;
}

type Saved = { ok: true; path: string } | { ok: false; problem: string };

/** Writes what is told now into a file, before parts of it are left out. */
export async function saveTranscript({ chain, ports }: Work): Promise<Saved> {
  try {
    const name = transcriptName(ports.clock.now(), ports.ids.next());
    return { ok: true, path: await ports.transcripts.save(name, transcriptLines(chain)) };
  } catch (error) {
    ports.log("warning", `a transcript could not be saved: ${errorMessage(error)}`);
    return { ok: false, problem: errorMessage(error) };
  }
}

/** Nothing is done, and the user is told why. */
export const failed = ({ size }: Work, because: string): Outcome => {
  return { summary: null, estimate: size.estimate, usage: null, warning: notCompacted(because) };
};

/** The words for an attempt that changed nothing. */
export const notCompacted = (because: string): string =>
  `The conversation was not compacted: ${because}. It stays as it is.`;

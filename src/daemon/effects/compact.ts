import {
  contextBudget,
  contextSize,
  historyTokens,
  prefixTokens,
} from "../../context/compaction/context-size.ts";
import { chooseCut } from "../../context/compaction/cut-points.ts";
import { droppedNote } from "../../context/compaction/dropped-note.ts";
import { compactedCut, trimCut } from "../../context/compaction/make-cut.ts";
import { shownHistory } from "../../context/compaction/shown-history.ts";
import { earlierSummary } from "../../context/compaction/summary-message.ts";
import { planTrim } from "../../context/compaction/trim.ts";
import { promptReminders } from "../../context/reminders/prompt-reminders.ts";
import type { Effect } from "../../engine/effect.ts";
import type { Usage } from "../../protocol/message.ts";
import { beginEffect, endEffect, type SessionRuntime } from "../sessions/session-runtime.ts";
import { askSummary } from "./ask-summary.ts";
import {
  failed,
  finished,
  notCompacted,
  type Outcome,
  saveTranscript,
  type Work,
} from "./compaction-work.ts";
import type { EffectPorts } from "./effect-ports.ts";
import { findModel } from "./find-model.ts";
import { keptLists } from "./kept-lists.ts";
import { sessionHistory } from "./session-history.ts";
import { sessionPrefix } from "./session-prefix.ts";

type Compact = Extract<Effect, { type: "compact" }>;

const NO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null, cost: null };

/** Trimming old results is enough when it leaves so much of the budget free; else a summary would soon follow. */
const ENOUGH = 0.7;
/** Of a conversation that the model refused, at least this share must go, or the next refusal is certain. */
const OVERFLOW_SHARE = 0.25;
/** A summary of what did not fit is asked of half of it. */
const HALF = 0.5;
/** For what estimates miss. */
const SAFETY = 0.9;
const SUMMARY_ROOM = 4000;
const KEPT_SHARE = 0.15;
const KEPT_MOST = 20_000;
const PROMPT_SHARE = 0.1;
const PROMPT_MOST = 8000;

/** Makes a conversation shorter and answers with the message that cuts it, or with why nothing was done. */
export async function compact(effect: Compact, runtime: SessionRuntime, ports: EffectPorts): Promise<void> {
  const signal = beginEffect(runtime, effect.effectId);
  try {
    const outcome = await attempt(effect, runtime, ports, signal);
    const { effectId, model } = effect;
    const usage = outcome.usage ?? NO_USAGE;
    runtime.actor.post({ type: "compaction_finished", effectId, model, ...outcome, usage });
  } finally {
    endEffect(runtime, effect.effectId);
  }
}

async function attempt(
  effect: Compact,
  runtime: SessionRuntime,
  ports: EffectPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const found = findModel(effect.model, runtime);
  if (!found.ok) return { summary: null, estimate: 0, usage: null, warning: notCompacted(found.error) };
  const model = found.value;
  const prefix = await sessionPrefix(runtime, ports);
  const chain = await sessionHistory(effect.head, runtime, ports);
  const shown = shownHistory(chain);
  const size = contextSize(shown, prefix, model.id);
  const budget = contextBudget(model, runtime.settings.config.context.compactAt);
  return shorten({ effect, runtime, ports, signal, model, prefix, chain, shown, size, budget });
}

/** The mildest way that helps: old results, a summary, at last older steps without one. */
async function shorten(work: Work): Promise<Outcome> {
  const { trigger, attempt: deep } = work.effect;
  const refused = trigger === "overflow" || trigger === "cut";
  if (refused && deep > 2) return dropOlder(work, true);
  const trimmed = trigger === "manual" || deep > 1 ? null : await trimOlder(work, refused);
  if (trimmed) return trimmed;
  const summarized = await summarize(work, refused);
  if (summarized.summary || !refused || work.signal.aborted) return summarized;
  const dropped = await dropOlder(work, false);
  return { ...dropped, usage: summarized.usage };
}

/** Old results become pointers, without the model; null when that would not free enough. */
async function trimOlder(work: Work, refused: boolean): Promise<Outcome | null> {
  const { shown, size, budget } = work;
  const trim = planTrim(shown.messages);
  if (!trim) return null;
  const enough = refused
    ? trim.freed >= size.estimate * OVERFLOW_SHARE
    : size.tokens - trim.freed <= budget * ENOUGH;
  if (!enough) return null;
  return finished(work, trimCut(trim, canRecall(work)));
}

/** A summary in the model's words takes the place of the older steps. The transcript is saved first. */
async function summarize(work: Work, refused: boolean): Promise<Outcome> {
  const { effect, runtime, ports, shown, chain, prefix, model, signal } = work;
  const index = chooseCut(shown.messages, keptTokens(work));
  if (index === null) return failed(work, "there is nothing to compact yet");
  const transcript = await saveTranscript(work);
  if (!transcript.ok && !refused)
    return failed(work, `its transcript cannot be saved (${transcript.problem})`);
  const path = transcript.ok ? transcript.path : null;
  const { focus } = effect;
  const limit = summaryLimit(work, refused);
  const question = { chain, shown: shown.messages, prefix, model, focus, limit, signal };
  const answer = await askSummary(question, runtime, ports);
  const made = answer.ok
    ? await cutAt(work, index, answer.text, path, null)
    : failed(work, `a summary could not be had (${answer.problem})`);
  if (!made.summary && path !== null) await ports.transcripts.remove(path);
  return { ...made, usage: answer.usage };
}

/** Tokens of history to ask a summary of; null: all of it fits beside the answer. */
function summaryLimit({ size, model, prefix, shown }: Work, refused: boolean): number | null {
  if (refused) return historyTokens(shown.messages) * HALF;
  const { contextWindow } = model;
  if (contextWindow === null || size.tokens + SUMMARY_ROOM <= contextWindow) return null;
  const scale = Math.min(1, size.estimate / size.tokens);
  return (contextWindow - SUMMARY_ROOM) * scale * SAFETY - prefixTokens(prefix);
}

/** The last resort: older steps go without a summary; when `hard`, all but the last one, and every old result. */
async function dropOlder(work: Work, hard: boolean): Promise<Outcome> {
  const { shown } = work;
  const index = chooseCut(shown.messages, hard ? 0 : keptTokens(work));
  const trim = hard || index === null ? planTrim(shown.messages, true) : null;
  if (index === null) {
    return trim
      ? finished(work, trimCut(trim, canRecall(work)))
      : failed(work, "nothing is left that could be dropped");
  }
  const transcript = await saveTranscript(work);
  const note = droppedNote(shown.messages.slice(0, index), earlierSummary(shown.messages));
  return cutAt(work, index, note, transcript.ok ? transcript.path : null, trim?.through ?? null);
}

const canRecall = ({ prefix }: Work): boolean => prefix.tools.some((tool) => tool.name === "recall_result");

const keptTokens = ({ budget }: Work): number => Math.min(KEPT_MOST, budget * KEPT_SHARE);

async function cutAt(
  work: Work,
  index: number,
  summary: string,
  transcript: string | null,
  trimThrough: string | null,
): Promise<Outcome> {
  const { effect, runtime, ports, shown, size, budget } = work;
  const made = compactedCut({
    shown: shown.messages,
    index,
    summary,
    transcript,
    trigger: effect.trigger === "cut" ? "overflow" : effect.trigger,
    tokensBefore: size.tokens,
    trimThrough,
    changes: await ports.store.fileChanges(runtime.actor.session.id),
    lists: await keptLists(runtime, ports),
    reminders: promptReminders({
      now: ports.clock.now(),
      timeZone: runtime.environment.TZ,
      mode: runtime.actor.state.mode,
      toldMode: null,
    }),
    cwd: runtime.place.cwd,
    promptBudget: Math.min(PROMPT_MOST, budget * PROMPT_SHARE),
  });
  if (!made) return failed(work, "there is nothing to compact yet");
  return finished(work, made);
}

import type { Message } from "../../protocol/message.ts";
import { type Draft, type DraftResult, draftOf } from "./draft.ts";

/**
 * A chain of stored messages as alternating drafts, grown message by message. Only here are neighbours of one
 * role merged. A draft that is followed by one of the other role never changes again: that is what keeps the
 * prefix of the requests stable, and what makes step 300 as cheap as step 30.
 */
export type History = {
  drafts: Draft[];
  /** Calls of the newest assistant draft that have no result yet. */
  open: string[];
  /** What the stored chain got wrong and how it was mended; empty for every chain that the engine made. */
  repairs: string[];
};

export function emptyHistory(): History {
  return { drafts: [], open: [], repairs: [] };
}

/** Adds the next message of the chain. */
export function grow(history: History, message: Message, modelId: string): void {
  const draft = draftOf(message, modelId);
  if (draft.role === "user") addUser(history, draft);
  else if (draft.blocks.length > 0) addAssistant(history, draft);
}

/** The drafts as they can be sent now: open calls answered, a user message first. Changes nothing. */
export function closed(history: History): { drafts: readonly Draft[]; repairs: readonly string[] } {
  if (history.open.length === 0) return history;
  const copy: History = { ...history, drafts: [...history.drafts], repairs: [...history.repairs] };
  const last = copy.drafts.at(-1);
  if (last?.role === "user") copy.drafts[copy.drafts.length - 1] = { ...last, results: [...last.results] };
  answerOpen(copy);
  return copy;
}

function addUser(history: History, draft: Draft): void {
  const results = draft.results.filter((result) => {
    const at = history.open.indexOf(result.callId);
    if (at >= 0) history.open.splice(at, 1);
    else history.repairs.push(`left out a result for ${result.callId}, which is not an open call`);
    return at >= 0;
  });
  if (results.length + draft.blocks.length === 0) return;
  const last = history.drafts.at(-1);
  if (last?.role === "user") {
    last.results.push(...results);
    last.blocks.push(...draft.blocks);
  } else history.drafts.push({ ...draft, results });
}

function addAssistant(history: History, draft: Draft): void {
  if (history.drafts.length === 0) {
    history.drafts.push({ role: "user", results: [], blocks: [{ type: "text", text: "(no prompt)" }] });
    history.repairs.push("put a user message before an answer that had none");
  }
  if (history.open.length > 0) answerOpen(history);
  const last = history.drafts.at(-1);
  if (last?.role === "assistant") last.blocks.push(...draft.blocks);
  else history.drafts.push(draft);
  for (const block of draft.blocks) if (block.type === "tool_call") history.open.push(block.id);
}

/** Gives each open call a result that says that nothing is known of it. */
function answerOpen(history: History): void {
  const results = history.open.map(unknownResult);
  history.repairs.push(...history.open.map((id) => `call ${id} had no result; told the model so`));
  history.open = [];
  const last = history.drafts.at(-1);
  if (last?.role === "user") last.results.push(...results);
  else history.drafts.push({ role: "user", results, blocks: [] });
}

function unknownResult(callId: string): DraftResult {
  const text = "The outcome of this call is not known. Check what it did before you repeat it.";
  return { type: "tool_result", callId, isError: true, content: [{ type: "text", text }] };
}

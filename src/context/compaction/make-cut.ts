import type { FileChangeRow } from "../../protocol/event.ts";
import type { CallId } from "../../protocol/ids.ts";
import type { ContentBlock, HistoryCut, Message } from "../../protocol/message.ts";
import { plural } from "../../shared/text.ts";
import { changedFiles } from "./changed-files.ts";
import { droppedThrough } from "./cut-points.ts";
import { fitPrompts, promptsOf } from "./kept-prompts.ts";
import { compactedBy, trimPoint } from "./shown-history.ts";
import { type FactList, type RetainedFacts, summaryContent } from "./summary-message.ts";
import type { Trim } from "./trim.ts";

/** What the message that cuts a history holds, and the facts that the history must tell from then on. */
export type MadeCut = { content: ContentBlock[]; cut: HistoryCut; facts: RetainedFacts };

const NO_FACTS: RetainedFacts = { prompts: [], files: [], lists: [] };

/** Old results become pointers. `recall`: the model has the tool that reads them back. */
export function trimCut(trim: Trim, recall: boolean): MadeCut {
  const how = recall ? " recall_result reads one back by its id." : "";
  const text = `To save room, ${plural(trim.results, "older tool result")} are now shown as [Previous: used TOOL].${how}`;
  return {
    content: [{ type: "reminder", text }],
    cut: { type: "trimmed", trimmedThrough: trim.through },
    facts: NO_FACTS,
  };
}

export type CompactedParts = {
  shown: readonly Message[];
  /** Where `shown` is cut: all before it goes. */
  index: number;
  summary: string;
  transcript: string | null;
  trigger: Extract<HistoryCut, { type: "compacted" }>["trigger"];
  tokensBefore: number;
  /** Results of kept steps that become pointers too; null: none but those that are. */
  trimThrough: CallId | null;
  changes: readonly FileChangeRow[];
  lists: readonly FactList[];
  /** What dropped prompts had told besides: the time and the mode as they are now. */
  reminders: readonly string[];
  cwd: string;
  /** Tokens for the prompts that need not be kept whole. */
  promptBudget: number;
};

/** A summary takes the place of all before the cut. Null when the cut would drop nothing. */
export function compactedCut(parts: CompactedParts): MadeCut | null {
  const { shown, index, transcript, trigger, tokensBefore } = parts;
  const dropped = shown.slice(0, index);
  const through = droppedThrough(shown, index);
  if (through === null) return null;
  const prompts = fitPrompts(promptsOf(dropped), parts.promptBudget);
  const before = dropped.map(compactedBy).find((cut) => cut !== null)?.files ?? [];
  const files = changedFiles(before, parts.changes, parts.cwd);
  const facts: RetainedFacts = { prompts, files, lists: parts.lists };
  return {
    content: [
      ...summaryContent({ transcript, facts, summary: parts.summary }),
      ...parts.reminders.map((text) => ({ type: "reminder" as const, text })),
    ],
    cut: {
      type: "compacted",
      droppedThrough: through,
      trimmedThrough: parts.trimThrough ?? trimPoint(shown),
      trigger,
      tokensBefore,
      transcript,
      prompts,
      files,
    },
    facts,
  };
}

import type { ChangedFile, KeptPrompt, Message, TextBlock } from "../../protocol/message.ts";
import { cutText, wellFormed } from "../../shared/text.ts";

const SUMMARY_TITLE = "# Summary of the work so far\n";
const EARLIER_CHARS = 8000;

/** Facts that stand in every compacted context, whatever the summary says (CONTRACT 1.22 #19). */
export type RetainedFacts = {
  prompts: readonly KeptPrompt[];
  files: readonly ChangedFile[];
  /** What is told in lists: grants in force, open todos and the like. */
  lists: readonly FactList[];
};

/** A list of facts under a title; an empty one is not shown. */
export type FactList = { title: string; lines: readonly string[] };

/**
 * Content of the user message that a compacted history begins with: the facts, then the summary. `transcript` null:
 * it could not be written.
 */
export function summaryContent(parts: {
  transcript: string | null;
  facts: RetainedFacts;
  summary: string;
}): TextBlock[] {
  const { transcript, facts, summary } = parts;
  const header = `[Conversation compressed. Transcript: ${transcript ?? "none"}]`;
  const sections = [
    header,
    promptSection(facts.prompts),
    listSection(
      "Files changed so far",
      facts.files.map(({ path, what }) => `${path}: ${what}`),
    ),
    ...facts.lists.map(({ title, lines }) => listSection(title, lines)),
  ];
  const text = wellFormed(sections.filter((section) => section !== null).join("\n\n"));
  return [
    { type: "text", text },
    { type: "text", text: wellFormed(`${SUMMARY_TITLE}${summary.trim()}`) },
  ];
}

/** The summary that an earlier compaction left at the front of a shown history, bounded; null when there is none. */
export function earlierSummary(shown: readonly Message[]): string | null {
  const block = shown[0]?.kind === "summary" ? shown[0].content[1] : undefined;
  if (block?.type !== "text" || !block.text.startsWith(SUMMARY_TITLE)) return null;
  return cutText(block.text.slice(SUMMARY_TITLE.length), EARLIER_CHARS, "…");
}

function promptSection(prompts: readonly KeptPrompt[]): string | null {
  const shown = prompts.filter((prompt) => prompt.text !== "");
  const bare = prompts.filter((prompt) => prompt.text === "").map((prompt) => prompt.messageId);
  if (prompts.length === 0) return null;
  const texts = shown.map((prompt) =>
    prompt.whole ? prompt.text : `(rules of an earlier request, id ${prompt.messageId})\n${prompt.text}`,
  );
  if (bare.length > 0) texts.unshift(`(earlier requests, to read back by id: ${bare.join(", ")})`);
  return `# The user's requests, word for word\n${texts.join("\n---\n")}`;
}

function listSection(title: string, lines: readonly string[]): string | null {
  return lines.length === 0 ? null : `# ${title}\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

/** Facts that a history does not tell: empty for every one that was compacted rightly. */
export function missingFacts(shown: readonly Message[], facts: RetainedFacts): string[] {
  const told = shown
    .flatMap((message) => message.content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
  const wanted = [
    ...facts.prompts.map((prompt) => (prompt.text === "" ? prompt.messageId : prompt.text)),
    ...facts.files.map((file) => file.path),
    ...facts.lists.flatMap((list) => list.lines),
  ];
  return wanted.filter((text) => !told.includes(wellFormed(text)));
}

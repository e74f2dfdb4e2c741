import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { RecordedRequest, Turn } from "../../src/demo/scripted-model/types.ts";
import { type Case, openCase } from "../support/case.ts";
import { allResults, callIds, lastText, messagesOf } from "../support/wire.ts";

let lab: Case | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const text = (request: RecordedRequest | undefined): string => request?.raw.toString("utf8") ?? "";
const occurrences = (where: string, what: string): number => where.split(what).length - 1;
const isAsk = (request: RecordedRequest): boolean => lastText(request).includes("Write it now:");
const bash = (command: string, more: Partial<Turn> = {}): Turn => ({
  calls: [{ name: "bash", input: { command } }],
  ...more,
});

/** Transcripts in the state folder, by name. */
function transcripts(): Map<string, string[]> {
  const folder = join(lab?.home ?? "", ".local/state/lathe/transcripts");
  try {
    const read = (name: string): string[] => readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
    return new Map(readdirSync(folder).map((name) => [name, read(name)]));
  } catch {
    return new Map();
  }
}

it("H25: compaction keeps the task, the rules and the open work", async () => {
  const steps = [1, 2, 3, 4, 5, 6].map((n) =>
    bash(`echo step-${n}`, n === 6 ? { usage: { input: 195_000, output: 10 } } : {}),
  );
  lab = await openCase([...steps, { text: "SUMMARY-S" }, { text: "done" }]);
  lab.put("AGENTS.md", "RULE-MARK never touch x.lock\n");
  const run = await lab.ask("TASK-7421: count to ten");
  expect(run.json).toMatchObject({ result: "done", is_error: false });
  const { requests } = lab.model;
  expect(requests).toHaveLength(8);
  const ask = requests[6] as RecordedRequest;
  const after = requests[7] as RecordedRequest;
  expect(isAsk(ask)).toBe(true);
  expect(ask.body).toMatchObject({ max_tokens: 2000, tool_choice: { type: "none" } });
  for (const mark of ["SUMMARY-S", "TASK-7421: count to ten", "RULE-MARK never touch x.lock"]) {
    expect([mark, occurrences(text(after), mark)]).toEqual([mark, 1]);
  }
  expect(callIds(after).sort()).toEqual(
    allResults(after)
      .map((result) => result.id)
      .sort(),
  );
  expect(after.raw.length).toBeLessThan((requests[5] as RecordedRequest).raw.length);
  const [saved] = transcripts();
  expect(saved?.[0]).toMatch(/^transcript_\d+_[0-9a-f]{8}\.jsonl$/);
  expect(text(after)).toContain(`[Conversation compressed. Transcript: ${lab.home}/`);
  const kinds = saved?.[1].map((line) => JSON.parse(line).kind);
  expect(kinds).toEqual(["prompt", ...Array(6).fill(["reply", "tool_results"]).flat()]);
  await lab.check();
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { estimateTokens } from "../../src/context/estimate.ts";
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
  const run = await lab.ask("TASK-7421: count to ten", ["--output-format", "stream-json", "--verbose"]);
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
  const boundary = run.stdout.split("\n").find((line) => line.includes("compact_boundary"));
  const metadata = { trigger: "auto", pre_tokens: expect.any(Number) };
  expect(JSON.parse(boundary ?? "null")).toMatchObject({ type: "system", compact_metadata: metadata });
  const [saved] = transcripts();
  expect(saved?.[0]).toMatch(/^transcript_\d+_[0-9a-f]{8}\.jsonl$/);
  expect(text(after)).toContain(`[Conversation compressed. Transcript: ${lab.home}/`);
  const kinds = saved?.[1].map((line) => JSON.parse(line).kind);
  expect(kinds).toEqual(["prompt", ...Array(6).fill(["reply", "tool_results"]).flat()]);
  await lab.check();
});

/** Settings of the user, before the first run. */
function configure(config: object): void {
  const folder = join(lab?.home ?? "", ".config/lathe");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
}

it("H26: no compaction far below the window", async () => {
  const steps = [84_000, 100_000, 200_000, 400_000].map((input, n) =>
    bash(`echo ${n}`, { usage: { input, output: 5 } }),
  );
  lab = await openCase([...steps, { text: "done" }]);
  configure({ models: { models: { "claude-sonnet-4-6": { contextWindow: 1_000_000 } } } });
  const run = await lab.ask("go");
  expect(run.json.result).toBe("done");
  expect(lab.model.requests).toHaveLength(5);
  expect(lab.model.requests.some(isAsk)).toBe(false);
  expect(transcripts().size).toBe(0);
  expectGrowing(lab.model.requests);
  await lab.check();
});

it("H27: a prompt that is too long is shortened until it passes, and never sent again as it was", async () => {
  let steps = 0;
  lab = await openCase((request) => {
    if (request.raw.length > 250_000) {
      const message = "prompt is too long: 214000 tokens > 200000 maximum";
      return { error: { status: 400, type: "invalid_request_error", message } };
    }
    if (isAsk(request)) return { text: "the summary" };
    steps += 1;
    return steps <= 8 ? bash(`head -c 60000 /dev/zero | tr '\\0' ${steps}`) : { text: "done" };
  });
  const run = await lab.ask("count");
  expect(run.json).toMatchObject({ result: "done", is_error: false });
  const { requests } = lab.model;
  for (const [index, request] of requests.entries()) {
    expect(request.raw.equals(requests[index + 1]?.raw ?? Buffer.alloc(0)), `body ${index} again`).toBe(
      false,
    );
  }
  expect(requests.length).toBeLessThan(9 + 8);
  const next = await lab.ask("more?", ["--continue"]);
  expect(next.json).toMatchObject({ result: "done", is_error: false });
  await lab.check();
});

it("H27: a limit that nothing meets ends in a clear error soon, and the session stays usable", async () => {
  let strict = true;
  lab = await openCase((_, index) => {
    if (index < 3) return bash(`seq ${index} 2000`);
    if (!strict) return { text: "fine again" };
    const message = "prompt is too long: 214000 tokens > 200000 maximum";
    return { error: { status: 400, type: "invalid_request_error", message } };
  });
  const run = await lab.ask("count");
  expect(run.code).toBe(1);
  expect(run.json.is_error).toBe(true);
  expect(run.json.errors.join()).toContain("does not fit");
  const { requests } = lab.model;
  expect(requests.length).toBeLessThanOrEqual(3 + 8);
  for (const [index, request] of requests.entries()) {
    expect(request.raw.equals(requests[index + 1]?.raw ?? Buffer.alloc(0))).toBe(false);
  }
  strict = false;
  const next = await lab.ask("more?", ["--continue"]);
  expect(next.json).toMatchObject({ result: "fine again", is_error: false });
  await lab.check();
});

it("H20, run 2: an answer that fills the window is not taken as finished", async () => {
  lab = await openCase([{ text: "cut ", stop: "model_context_window_exceeded" }, { text: "after" }]);
  const run = await lab.ask("go");
  expect(run.json).toMatchObject({ result: "cut after", is_error: false });
  expect(lastText(lab.model.requests[1])).toContain("context window was full");
  await lab.check();
});

const FAILURES: [string, Turn][] = [
  ["an error", { error: { status: 500, message: "broken" } }],
  ["nothing", { text: "" }],
  ["more than there was", { text: "blah blah ".repeat(60_000) }],
  ["a tool call", { calls: [{ name: "bash", input: { command: "touch made" } }] }],
];

it.each(FAILURES)("O6: a summary that is %s changes nothing and the turn goes on", async (_, answer) => {
  let steps = 0;
  lab = await openCase((request) => {
    if (isAsk(request)) return answer;
    steps += 1;
    const usage = { input: steps < 3 ? 1000 : 195_000, output: 10 };
    return steps <= 6 ? bash(`echo step-${steps}`, { usage }) : { text: "done", usage };
  });
  const run = await lab.ask("TASK-7421", ["--output-format", "stream-json", "--verbose"]);
  expect(run.json).toMatchObject({ result: "done", is_error: false });
  const { requests } = lab.model;
  // Twice in vain, then not again until the conversation has grown.
  expect(requests.filter(isAsk)).toHaveLength(2);
  expectGrowing(requests.filter((request) => !isAsk(request)));
  expect(run.stdout.match(/"code":"compact"/g)).toHaveLength(2);
  expect(transcripts().size).toBe(0);
  await lab.check();
});

it("O6: without a transcript nothing is compacted and the turn goes on", async () => {
  lab = await openCase([
    bash("echo 1"),
    bash("echo 2", { usage: { input: 195_000, output: 1 } }),
    { text: "done" },
  ]);
  mkdirSync(join(lab.home, ".local/state/lathe"), { recursive: true });
  writeFileSync(join(lab.home, ".local/state/lathe/transcripts"), "in the way");
  const run = await lab.ask("TASK", ["--output-format", "stream-json", "--verbose"]);
  expect(run.json).toMatchObject({ result: "done", is_error: false });
  expect(run.stdout).toContain("its transcript cannot be saved");
  expectGrowing(lab.model.requests);
  await lab.check();
});

it("O9: 120 steps of 20 kB on a window of 64,000 tokens: each request fits, the prefix is kept between cuts", async () => {
  let steps = 0;
  let first = "";
  lab = await openCase((request, index) => {
    if (index === 1) first = callIds(request)[0] ?? "";
    const usage = { input: estimateTokens(text(request)), output: 200 };
    if (isAsk(request)) return { text: `summary at step ${steps}`, usage };
    steps += 1;
    if (steps === 61) return { calls: [{ name: "recall_result", input: { id: first } }], usage };
    return steps <= 120
      ? {
          calls: [{ name: "read_file", input: { path: `f${steps}.txt` } }],
          text: `reading ${steps}${" and thinking".repeat(120)}`,
          usage,
        }
      : { text: "done" };
  });
  configure({ models: { models: { "claude-sonnet-4-6": { contextWindow: 64_000, maxOutput: 8000 } } } });
  for (let n = 1; n <= 120; n++) lab.put(`f${n}.txt`, `${`file ${n} has the word row in it\n`.repeat(650)}`);
  const run = await lab.ask("TASK-7421: read all files\nnever touch x.lock", [], { timeoutMs: 85_000 });
  expect(run.json).toMatchObject({ result: "done", is_error: false });
  const { requests } = lab.model;
  expect(requests.filter(isAsk).length).toBeGreaterThan(0);
  // Room for the answer stays free: 8,000 tokens, and 2,000 for a summary.
  const sizes = requests.map((request) => estimateTokens(text(request)) + (isAsk(request) ? 2000 : 8000));
  expect(Math.max(...sizes)).toBeLessThan(64_000);
  for (const request of requests) expect(occurrences(text(request), "TASK-7421: read all files")).toBe(1);
  const recalled = allResults(
    requests.find((_, index) => index > 60 && text(requests[index]).includes(first)),
  );
  expect(recalled.some((result) => result.text.includes("file 1 has the word row in it"))).toBe(true);
  expect(cachedShare(requests)).toBeGreaterThan(0.6);
  await lab.check();
}, 120_000);

it("the other wire, where the window is not known: compacted above 50,000 tokens", async () => {
  const prompts = ["first", "second"];
  lab = await openCase(
    (request) => {
      if (isAsk(request)) return { text: "SUMMARY-S" };
      const big = text(request).length > 3000 && !text(request).includes("SUMMARY-S");
      return big && request.index === 2
        ? bash("echo more", { usage: { input: 51_000, output: 1 } })
        : { text: `answer ${request.index}`, usage: { input: 49_000, output: 1 } };
    },
    { wire: "openai-chat" },
  );
  for (const prompt of prompts) await lab.ask(prompt, prompt === "first" ? [] : ["--continue"]);
  expect(lab.model.requests.some(isAsk)).toBe(false);
  const run = await lab.ask("third", ["--continue"]);
  expect(run.json.is_error).toBe(false);
  const last = lab.model.requests.at(-1);
  expect(lab.model.requests.filter(isAsk)).toHaveLength(1);
  for (const mark of ["SUMMARY-S", "first", "second", "third"]) expect(text(last)).toContain(mark);
  expect(callIds(last)).toHaveLength(1);
  await lab.check();
});

/** Cache marks move; everything else of a prefix stays. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner));

/** Each request begins with all that the one before held. */
function expectGrowing(requests: readonly RecordedRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    if (before) expect(isPrefix(before, request), `request ${index + 1}`).toBe(true);
  }
}

function isPrefix(before: RecordedRequest, after: RecordedRequest): boolean {
  const messages = messagesOf(before);
  return plain(messagesOf(after).slice(0, messages.length)) === plain(messages);
}

/** Share of all bytes that a provider's cache could have had from the request before. */
function cachedShare(requests: readonly RecordedRequest[]): number {
  let cached = 0;
  let all = 0;
  for (const [index, request] of requests.entries()) {
    const before = messagesOf(requests[index - 1]).map(plain);
    const now = messagesOf(request).map(plain);
    const same = now.findIndex((message, at) => message !== before[at]);
    const shared = same < 0 ? now : now.slice(0, same);
    cached += shared.join("").length;
    all += now.join("").length;
  }
  return cached / all;
}

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/model-port.ts";
import { createRequestBuilder } from "../request/build.ts";
import { historyTokens } from "./context-size.ts";
import { chooseCut, cutPoints } from "./cut-points.ts";
import { neededChain, shownHistory } from "./shown-history.ts";
import { missingFacts } from "./summary-message.ts";
import { cutMiddle, summaryAsk } from "./summary-request.ts";
import { MODEL, PREFIX, startTalk, type Talk } from "./testing/talk.ts";

const told = (request: ModelRequest): string => JSON.stringify(request.messages);
const times = (where: string, what: string): number => where.split(what).length - 1;

/** Texts of all results in a request, oldest first. */
function resultsIn(request: ModelRequest): { text: string; isError: boolean }[] {
  return request.messages.flatMap((message) =>
    message.content.flatMap((block) =>
      block.type === "tool_result"
        ? [
            {
              text: block.content.map((part) => (part.type === "text" ? part.text : "")).join(),
              isError: block.isError,
            },
          ]
        : [],
    ),
  );
}

function talkOf(results: string[]): Talk {
  const talk = startTalk();
  talk.prompt("the task");
  for (const result of results) talk.step("step", [result]);
  return talk;
}

test("micro: all but the newest three become pointers with their id; 100 characters stay, 101 go; errors stay errors", async () => {
  const talk = startTalk();
  talk.prompt("the task");
  talk.step("one", ["a".repeat(100), "b".repeat(101), "c".repeat(101)]);
  for (const letter of "defg") talk.step("more", [letter.repeat(500)]);
  expect(talk.trim()).toBe(true);
  const { request, problems } = await talk.request();
  expect(problems).toEqual([]);
  const results = resultsIn(request);
  expect(results[0]?.text).toBe("a".repeat(100));
  expect(results[1]?.text).toMatch(/^\[Previous: used bash\] id call-2-1$/);
  expect(results[2]).toEqual({ text: "[Previous: used bash] id call-2-2", isError: true });
  expect(results[3]?.text).toContain("[Previous: used bash]");
  expect(results.slice(4).map(({ text }) => text[0])).toEqual(["e", "f", "g"]);
  expect(talk.trim()).toBe(false);
});

test("micro: what the model has not seen yet is never trimmed, however much it is", async () => {
  const talk = talkOf(["x".repeat(200)]);
  talk.step(
    "six at once",
    Array.from({ length: 6 }, (_, index) => `${index}`.repeat(200)),
  );
  expect(talk.trim()).toBe(true);
  const results = resultsIn((await talk.request()).request);
  expect(results.map(({ text }) => text.length > 150)).toEqual([false, true, true, true, true, true, true]);
});

test("a compacted history is one user message, then the kept steps; the summary does not lose what was asked", async () => {
  const talk = talkOf(["one", "two", "three"]);
  talk.prompt("now\nnever touch x.lock");
  talk.step("four", ["4"]);
  talk.step("five", ["5"]);
  const points = cutPoints(talk.chain);
  const made = talk.compact(points.at(-1) ?? 0, { lists: [{ title: "Granted", lines: ["bash(npm test)"] }] });
  const { request, problems, repairs } = await talk.request();
  expect([...problems, ...repairs]).toEqual([]);
  expect(request.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  const text = told(request);
  expect(text).toContain("[Conversation compressed. Transcript: /state/transcript_1_abcdefgh.jsonl]");
  for (const mark of ["the task", "never touch x.lock", "bash(npm test)", "summary", "five"]) {
    expect(times(text, mark)).toBe(1);
  }
  expect(text).not.toContain("four");
  expect(made && missingFacts(shownHistory(talk.chain).messages, made.facts)).toEqual([]);
});

test("what is needed of a chain gives the same history as the whole of it", () => {
  const talk = talkOf(["one", "two", "three"].map((word) => word.repeat(100)));
  talk.trim();
  talk.compact(chooseCut(shownHistory(talk.chain).messages, 100) ?? 0);
  talk.step("next", ["n".repeat(300)]);
  const needed = neededChain(talk.chain);
  expect(needed.length).toBeLessThan(talk.chain.length);
  expect(shownHistory(needed).messages).toEqual(shownHistory(talk.chain).messages);
});

test("a history with steps left out in the middle is valid, says so, and fits", async () => {
  const talk = talkOf(Array.from({ length: 20 }, (_, step) => `${step} `.repeat(500)));
  const shown = shownHistory(talk.chain).messages;
  const limit = historyTokens(shown) / 3;
  const short = cutMiddle(shown, limit);
  expect(historyTokens(short)).toBeLessThan(limit);
  const builder = createRequestBuilder();
  const { request, problems, repairs } = await builder.build({
    messages: short,
    prefix: PREFIX,
    model: MODEL,
    loadBlob: async () => null,
    cacheKey: "s",
    purpose: "compaction",
    ask: summaryAsk("the rest"),
  });
  expect([...problems, ...repairs]).toEqual([]);
  expect(request).toMatchObject({ maxOutput: 2000, toolChoice: "none" });
  const text = told(request);
  expect(text).toMatch(/\[1\d steps \(about \d+,000 tokens\) are left out here/);
  expect(times(text, "Focus on: the rest")).toBe(1);
  expect(request.messages[0]).toMatchObject({ content: [{ text: "the task" }] });
  expect(resultsIn(request).at(-1)?.text).toContain("19 19");
  expect(cutMiddle(shown, 1e9)).toEqual(shown);
});

test("a cut lies between closed steps only", () => {
  const talk = startTalk();
  talk.prompt("p");
  talk.step("a", ["1"]);
  talk.step("done");
  talk.prompt("q");
  talk.step("b", ["2", "3"]);
  talk.prompt("steering");
  const kinds = talk.chain.map((message) => message.kind);
  expect(cutPoints(talk.chain).map((index) => [kinds[index - 1], kinds[index]])).toEqual([
    ["prompt", "reply"],
    ["tool_results", "reply"],
    ["reply", "prompt"],
    ["prompt", "reply"],
  ]);
  // The step whose results nobody has seen stays, though a prompt follows it.
  expect(chooseCut(talk.chain, 0)).toBe(kinds.lastIndexOf("reply"));
});

test("nothing is dropped where there is no finished step to drop", () => {
  const talk = startTalk();
  talk.prompt("p");
  expect(chooseCut(talk.chain, 100)).toBeNull();
  talk.step("a", ["1"]);
  expect(chooseCut(talk.chain, 100)).toBeNull();
});

type Op = { op: "prompt" | "step" | "trim" | "compact" | "drop"; size: number; many: number };

const ops = fc.array(
  fc.record({
    op: fc.constantFrom<Op["op"]>("prompt", "step", "step", "step", "trim", "compact", "drop"),
    size: fc.integer({ min: 1, max: 900 }),
    many: fc.integer({ min: 0, max: 4 }),
  }),
  { minLength: 5, maxLength: 60 },
);

function perform(talk: Talk, { op, size, many }: Op, count: number): void {
  const last = talk.chain.at(-1);
  const shown = shownHistory(talk.chain).messages;
  if (op === "prompt" && last?.kind !== "prompt")
    talk.prompt(`request ${count}: never do ${count} ${"w ".repeat(size)}`);
  else if (op === "step" && last?.role === "user") {
    talk.step(
      `say ${count}`,
      Array.from({ length: many }, (_, index) => `${count}.${index} `.repeat(size)),
    );
  } else if (op === "trim") talk.trim();
  else if (op === "compact" || op === "drop") {
    const index = chooseCut(shown, op === "drop" ? 0 : size);
    if (index === null) return;
    const made = talk.compact(index, { promptBudget: size });
    if (!made) return;
    expect(missingFacts(shownHistory(talk.chain).messages, made.facts)).toEqual([]);
    if (op === "drop") talk.trim(true);
  }
}

/** The results that the newest step brought, whole, unless a last resort took them. */
const unseen = (chain: readonly Message[]): string[] => {
  const reply = chain.findLastIndex((message) => message.kind === "reply");
  return chain
    .slice(reply + 1)
    .flatMap((message) => message.content)
    .flatMap((block) =>
      block.type === "tool_result" && block.content[0]?.type === "text" ? [block.content[0].text] : [],
    );
};

test("whatever is trimmed and compacted when: requests are valid, the task stays word for word, what is new stays whole", async () => {
  await fc.assert(
    fc.asyncProperty(ops, async (all) => {
      const talk = startTalk();
      talk.prompt("THE FIRST REQUEST: always say please");
      let hard = false;
      for (const [count, op] of all.entries()) {
        perform(talk, op, count);
        if (op.op === "drop") hard = true;
        if (op.op === "step") hard = false;
        const { request, problems, repairs } = await talk.request();
        const continues = shownHistory(talk.chain).messages.at(-1)?.role === "assistant";
        expect([
          ...problems.filter((problem) => !continues || !problem.includes("assistant's")),
          ...repairs,
        ]).toEqual([]);
        expect(request).toEqual((await talk.request(createRequestBuilder())).request);
        const text = told(request);
        expect(times(text, "THE FIRST REQUEST: always say please")).toBe(1);
        expect(times(text, JSON.stringify(talk.prompts.at(-1)).slice(1, -1))).toBe(1);
        if (!hard)
          for (const result of unseen(talk.chain))
            expect(text).toContain(JSON.stringify(result).slice(1, -1));
        // Every prompt is there: whole, by its rules, or by its id.
        for (const [index, prompt] of talk.prompts.entries()) {
          const id = talk.chain.filter((message) => message.kind === "prompt")[index]?.id ?? "?";
          const there = text.includes(JSON.stringify(prompt).slice(1, -1)) || text.includes(id);
          expect([prompt.slice(0, 20), there]).toEqual([prompt.slice(0, 20), true]);
        }
      }
    }),
    { numRuns: 150 },
  );
}, 60_000);

test("between cuts each request begins with the one before; batches resend less than trimming every turn would", async () => {
  const talk = startTalk();
  talk.prompt("the task");
  const resent = { batched: 0, everyTurn: 0 };
  const everyTurn = startTalk();
  everyTurn.prompt("the task");
  const before: Record<string, string[]> = { batched: [], everyTurn: [] };
  for (let step = 0; step < 60; step++) {
    for (const [name, one] of [
      ["batched", talk],
      ["everyTurn", everyTurn],
    ] as const) {
      one.step(`step ${step}`, ["word ".repeat(1000)]);
      const whole = resultsIn((await one.request()).request).filter(({ text }) => text.length > 100).length;
      const cut = (name === "everyTurn" || whole >= 12) && one.trim();
      const now = (await one.request()).request.messages.map((message) => JSON.stringify(message));
      const same = now.findIndex((message, index) => message !== before[name]?.[index]);
      if (!cut) expect(same).toBe(before[name]?.length);
      resent[name] += now.slice(same).join("").length;
      before[name] = now;
    }
  }
  expect(resent.batched).toBeLessThan(resent.everyTurn * 0.7);
});

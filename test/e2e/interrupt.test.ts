import { afterEach, describe, expect, it } from "vitest";
import type { Turn } from "../../src/demo/scripted-model/types.ts";
import { type Case, openCase } from "../support/case.ts";
import { until } from "../support/lab.ts";
import { slowness } from "../support/slowness.ts";
import { lastText, messagesOf } from "../support/wire.ts";

let at: Case | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const bash = (command: string) => ({ name: "bash", input: { command } });
const requested = (number: number) => async (lab: Case) =>
  void (await lab.model.waitForRequest(number, 10_000));
const sleeping = (lab: Case) => lab.leftovers().some(({ command }) => command.includes("61.9"));

const PHASES: { phase: string; turns: Turn[]; flags?: string[]; reached(lab: Case): Promise<void> }[] = [
  { phase: "before the answer", turns: [{ text: "x", hold: "request" }], reached: requested(1) },
  { phase: "in mid-answer", turns: [{ text: "half an answer", hold: 5 }], reached: requested(1) },
  {
    phase: "waiting for a retry",
    turns: [{ error: { status: 429, headers: { "retry-after": "50" } } }],
    reached: requested(1),
  },
  {
    phase: "in commands that ignore TERM",
    turns: [
      { calls: [bash("trap '' TERM INT; sleep 61.91; true"), bash("setsid sleep 61.92 & sleep 61.93")] },
    ],
    reached: (lab) => until("the commands run", () => sleeping(lab)),
  },
  {
    phase: "wrapping up",
    turns: [{ calls: [bash("true")] }, { text: "x", hold: "request" }],
    flags: ["--max-tool-calls", "1"],
    reached: requested(2),
  },
];

describe("an interrupt", () => {
  it.each(PHASES)(
    "$phase ends the turn within a second and leaves nothing",
    async ({ turns, flags = [], reached }) => {
      at = await openCase([...turns, { text: "ok" }]);
      const first = at.start([
        "-p",
        "begin",
        "--output-format",
        "json",
        "--permission-mode",
        "bypass",
        ...flags,
      ]);
      await reached(at);
      await new Promise((done) => setTimeout(done, 150));
      const asked = performance.now();
      first.child.kill("SIGINT");
      const run = at.keep(await first.result);
      const took = performance.now() - asked;
      expect(run).toMatchObject({ code: 130, json: { is_error: true, outcome: "interrupted" } });
      expect(took).toBeLessThan(1000 * slowness());
      expect(sleeping(at)).toBe(false);
      const next = await at.ask("go on", ["-c"]);
      expect(next).toMatchObject({ code: 0, json: { result: "ok" } });
      expect(lastText(at.model.requests.at(-1))).toContain("go on");
      expect(JSON.stringify(messagesOf(at.model.requests.at(-1)))).toContain("begin");
      await at.check();
    },
  );

  it("by SIGTERM gives 143", async () => {
    at = await openCase([{ text: "x", hold: "request" }]);
    const first = at.start(["-p", "begin", "--output-format", "json"]);
    await at.model.waitForRequest(1, 10_000);
    first.child.kill("SIGTERM");
    expect(at.keep(await first.result)).toMatchObject({ code: 143 });
    await at.check();
  });

  it("keeps the text that had arrived", async () => {
    at = await openCase([{ text: "half an answer that stops", hold: 14 }, { text: "ok" }]);
    const first = at.start(["-p", "begin", "--output-format", "stream-json", "--include-partial-messages"]);
    await until("text arrives", () => first.stdout().includes("text_delta"));
    await new Promise((done) => setTimeout(done, 150));
    first.child.kill("SIGINT");
    const run = at.keep(await first.result);
    expect(run.json.result).toBe("half an answer");
    await at.ask("go on", ["-c"]);
    expect(JSON.stringify(messagesOf(at.model.requests[1]))).toContain("half an answer");
    await at.check();
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Turn } from "../../src/demo/scripted-model/types.ts";
import { type Lab, openLab, resultOf } from "../support/lab.ts";
import { expectPrefix } from "../support/prefix.ts";
import { allResults, newResults } from "../support/wire.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const STEPS = 50;

/** Shell, read and edit in turn; every edit changes what the one before left. */
function step(index: number): Turn {
  const round = Math.floor(index / 3);
  if (index >= STEPS) return { text: `answer ${index}` };
  const calls = [
    { name: "bash", input: { command: `echo step ${index}` } },
    { name: "read_file", input: { path: "a.txt" } },
    {
      name: "edit_file",
      input: { path: "a.txt", old_text: `round ${round}`, new_text: `round ${round + 1}` },
    },
  ];
  return { text: `Step ${index}.`, calls: calls.slice(index % 3, (index % 3) + 1) };
}

describe.each(["anthropic", "openai-chat", "openai-responses"] as const)(
  "a turn of 50 steps (%s)",
  (wire) => {
    it("makes 51 requests that each begin with the one before, also after a daemon restart", async () => {
      lab = await openLab((_, index) => step(index), { wire });
      writeFileSync(join(lab.work, "a.txt"), "round 0\n");
      const first = await lab.run(["-p", "go", "--permission-mode", "auto", "--output-format", "json"]);
      expect(resultOf(first)).toMatchObject({
        result: `answer ${STEPS}`,
        num_turns: STEPS + 1,
        is_error: false,
      });
      expect(lab.model.requests).toHaveLength(STEPS + 1);
      await lab.run(["daemon", "stop"]);
      const second = await lab.run(["-p", "and?", "-c", "--output-format", "json"]);
      expect(resultOf(second)).toMatchObject({ result: `answer ${STEPS + 1}` });
      const { requests } = lab.model;
      expect(requests).toHaveLength(STEPS + 2);
      for (let index = 1; index < requests.length; index += 1)
        expectPrefix(requests[index - 1], requests[index]);
      expect(lab.problems()).toEqual([]);
      expect(newResults(requests[1])[0]?.text).toContain("step 0");
      const results = allResults(requests.at(-1));
      expect(results).toHaveLength(STEPS);
      expect(results.filter(({ text }) => /Edited a\.txt/.test(text))).toHaveLength(Math.floor(STEPS / 3));
    });
  },
);

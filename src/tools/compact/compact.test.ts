import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import type { JsonObject } from "../../protocol/ids.ts";
import { compactTool } from "./compact.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

test("a compaction is asked for, with a focus, an empty one or none", async () => {
  const inputs: JsonObject[] = [{ focus: "the tests" }, { focus: "" }, {}];
  for (const input of inputs) {
    expect(textOf(await lab.run(compactTool, input))).toBe("Compressing...");
  }
  expect(lab.compactions).toEqual(["the tests", "", null]);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { recallResultTool } from "./recall-result.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const recall = (input: Parameters<ToolLab["run"]>[1]) => lab.run(recallResultTool, input);

test("a short result comes whole, with its pictures", async () => {
  const blob = { hash: "h", size: 1, mediaType: "image/png" };
  lab.recalled.set("call-1", { text: "all of it", images: [{ type: "image", blob }] });
  const output = await recall({ id: " call-1 " });
  expect(output).toEqual({
    status: "ok",
    content: [
      { type: "text", text: "all of it" },
      { type: "image", blob },
    ],
  });
});

test("a long one comes in pieces that join to the whole", async () => {
  const whole = "äö🙂\n".repeat(9000);
  lab.recalled.set("call-2", { text: whole, images: [] });
  let joined = "";
  let offset: number | null = 0;
  while (offset !== null) {
    const text = textOf(await recall({ call_id: "call-2", offset }));
    const note = text.lastIndexOf("\n(characters ");
    joined += text.slice(0, note);
    expect(text.length).toBeLessThan(20_200);
    const next: RegExpExecArray | null = /go on with offset (\d+)\)$/.exec(text);
    offset = next ? Number(next[1]) : null;
  }
  expect(joined).toBe(whole);
});

test("an unknown id is an error that says so", async () => {
  const output = await recall({ id: "nothing" });
  expect(output.status).toBe("error");
  expect(textOf(output)).toContain("nothing");
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { loadSkillTool } from "./load-skill.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const load = (name: string) => lab.run(loadSkillTool, { name });
const skill = (name: string) => ({
  name,
  body: `Do ${name}.`,
  folder: `/s/${name}`,
  files: [],
  allowedTools: [],
});

test("a skill comes in its tag, with its files and its wish for a restriction", async () => {
  lab.skills.push(skill("a"), {
    ...skill("b"),
    files: ["scripts/x.py"],
    allowedTools: ["Read", "Bash(git *)"],
  });
  expect(await load(" a ")).toEqual({
    status: "ok",
    content: [{ type: "text", text: '<skill name="a">Do a.</skill>' }],
  });
  expect((await load("b")).content).toEqual([
    { type: "text", text: '<skill name="b">Do b.</skill>' },
    {
      type: "text",
      text: "Files of this skill in /s/b: scripts/x.py\nWhile you follow it, use these tools only: Read Bash(git *)",
    },
  ]);
});

test("an unknown name is answered with those that there are", async () => {
  expect(textOf(await load("x"))).toBe("No skills are available.");
  lab.skills.push(skill("b"), skill("a"));
  const output = await load("x");
  expect(output.status).toBe("error");
  expect(textOf(output)).toBe("Unknown skill 'x'. Available skills: a, b");
});

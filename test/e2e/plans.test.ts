import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Lab, openLab, resultOf } from "../support/lab.ts";

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

type Body = {
  system: { text: string }[];
  messages: { role: string; content: { type: string; text?: string; content?: unknown }[] | string }[];
  tools: { name: string }[];
};
const body = (at: number): Body => lab?.model.requests[at]?.body as Body;
/** Texts of the last message of a request: results of calls first, then what follows them. */
function lastTexts(at: number): string[] {
  const content = body(at).messages.at(-1)?.content ?? [];
  if (typeof content === "string") return [content];
  return content.map((block) => {
    if (block.type !== "tool_result") return block.text ?? "";
    const parts = block.content as string | { text?: string }[];
    return typeof parts === "string" ? parts : parts.map((part) => part.text ?? "").join("\n");
  });
}
const system = (at: number): string =>
  body(at)
    .system.map((part) => part.text)
    .join("\n");

function put(base: string, path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

const todo = (...statuses: string[]) => ({
  calls: [
    {
      name: "todo",
      input: { items: statuses.map((status, at) => ({ id: `${at + 1}`, text: `do ${at + 1}`, status })) },
    },
  ],
});
const look = { calls: [{ name: "list_files", input: {} }] };
const REMINDER = "<reminder>\nUpdate your todos.\n</reminder>";

describe("the checklist", () => {
  it("is told exactly, and three rounds without it bring a reminder after all results", async () => {
    lab = await openLab([
      todo("completed", "in_progress", "pending"),
      look,
      look,
      { calls: [...look.calls, ...look.calls] },
      { ...look },
      { text: "one" },
      look,
      look,
      todo("completed", "completed"),
      look,
      { text: "two" },
      look,
      look,
      look,
      { text: "three" },
    ]);
    await lab.run(["-p", "go"]);
    expect(lastTexts(1)).toEqual(["[x] do 1\n[>] do 2\n[ ] do 3\n(1/3 completed)"]);
    expect(lastTexts(3)).toHaveLength(1);
    expect(lastTexts(4)).toHaveLength(3);
    expect(lastTexts(4).at(-1)).toBe(REMINDER);
    expect(lastTexts(5)).toHaveLength(1);
    await lab.run(["daemon", "stop"]);
    await lab.run(["-p", "more", "-c"]);
    // A new prompt counts anew; a list with nothing open asks for nothing.
    for (const at of [7, 8, 9, 10]) expect(lastTexts(at)).toHaveLength(1);
    await lab.run(["-p", "and more", "-c"]);
    expect(lastTexts(14)).toHaveLength(1);
    expect(lab.problems()).toEqual([]);
  });

  it("outlives the daemon, and a refused list changes nothing", async () => {
    lab = await openLab([
      todo("pending"),
      { text: "one" },
      todo("in_progress", "in_progress"),
      look,
      look,
      { text: "two" },
    ]);
    await lab.run(["-p", "go"]);
    await lab.run(["daemon", "stop"]);
    await lab.run(["-p", "more", "-c"]);
    expect(lastTexts(3)[0]).toContain("Only one item can be in_progress at a time");
    // The refused call did not count as a look at the list, and the old list is still open.
    expect(lastTexts(5).at(-1)).toBe(REMINDER);
  });
});

describe("tasks", () => {
  it("outlive session and daemon, and go out and in as files", async () => {
    const create = (subject: string) => ({ name: "task_create", input: { subject } });
    const update = (input: object) => ({ calls: [{ name: "task_update", input: { ...input } as never }] });
    const list = { calls: [{ name: "task_list", input: {} }] };
    lab = await openLab([
      list,
      { calls: [create("Plan"), create("Write"), create("Check"), create("Run tests")] },
      update({ task_id: 1, add_blocks: [2, 3] }),
      update({ task_id: 4, add_blocked_by: [2, 3] }),
      update({ task_id: 1, add_blocked_by: [4] }),
      update({ task_id: 1, status: "completed" }),
      list,
      { text: "one" },
      { calls: [create("Fifth")] },
      list,
      { text: "two" },
    ]);
    await lab.run(["-p", "go"]);
    expect(lastTexts(1)).toEqual(["No tasks."]);
    expect(JSON.parse(lastTexts(3)[0] ?? "")).toMatchObject({ id: 1, blocks: [2, 3], status: "pending" });
    expect(lastTexts(5)[0]).toContain("cycle");
    expect(lastTexts(7)).toEqual([
      "[x] 1: Plan\n[ ] 2: Write\n[ ] 3: Check\n[ ] 4: Run tests (blocked by: 2, 3)",
    ]);
    await lab.run(["daemon", "stop"]);
    await lab.run(["-p", "another session"]);
    expect(JSON.parse(lastTexts(9)[0] ?? "")).toMatchObject({ id: 5 });

    await lab.run(["tasks", "export", "out"]);
    const out = join(lab.work, "out");
    expect(readdirSync(out).sort()).toEqual([1, 2, 3, 4, 5].map((id) => `task_${id}.json`));
    const first = readFileSync(join(out, "task_1.json"), "utf8");
    expect(first).toBe(`${JSON.stringify(JSON.parse(first), null, 2)}\n`);
    expect(Object.keys(JSON.parse(first))).toEqual(Object.keys(JSON.parse(first)).sort());

    put(out, "task_x.json", first);
    put(out, "task_9.json", "{");
    put(out, "task_8.json", first);
    put(lab.outside, "other/keep", "");
    const elsewhere = { cwd: join(lab.outside, "other") };
    const imported = await lab.run(["tasks", "import", out], elsewhere);
    expect(imported).toMatchObject({ code: 0, stdout: "imported 5 tasks\n" });
    for (const name of ["task_x.json", "task_9.json", "task_8.json"]) expect(imported.stderr).toContain(name);
    const listed = await lab.run(["tasks", "list"], elsewhere);
    expect(listed.stdout).toBe((await lab.run(["tasks"])).stdout);
    expect((await lab.run(["tasks", "show", "4"], elsewhere)).stdout).toBe(
      readFileSync(join(out, "task_4.json"), "utf8"),
    );
    expect(await lab.run(["tasks", "show", "99"])).toMatchObject({ stdout: "" });
    await lab.run(["tasks", "delete", "2"], elsewhere);
    expect((await lab.run(["tasks"], elsewhere)).stdout).toContain("[ ] 4: Run tests (blocked by: 3)\n");
  });
});

describe("skills", () => {
  const skill = (name: string, text: string, more = "") =>
    `---\nname: ${name}\ndescription: Does ${name}\n${more}---\n\n${text}\n`;

  it("cost one line until they are loaded; then their files can be read", async () => {
    lab = await openLab([
      { calls: [{ name: "load_skill", input: { name: "nope" } }] },
      { calls: [{ name: "load_skill", input: { name: "users" } }] },
      { calls: [{ name: "read_file", input: { path: "~/.claude/skills/users/notes.md" } }] },
      { text: "done" },
      { text: "again" },
    ]);
    put(lab.home, ".claude/skills/users/SKILL.md", skill("users", "THE BODY"));
    put(lab.home, ".claude/skills/users/notes.md", "beside it");
    put(lab.home, ".claude/skills/broken/SKILL.md", "no front matter");
    put(lab.home, ".claude/skills/mine/SKILL.md", skill("mine", "x", "disable-model-invocation: true\n"));
    put(lab.work, "skills/projects/SKILL.md", skill("projects", "y"));
    const run = await lab.run(["-p", "go", "--output-format", "json"]);
    expect(resultOf(run)).toMatchObject({ result: "done", is_error: false });
    expect(system(0)).toMatch(/\n {2}- users: Does users(\n|$)/);
    for (const text of ["THE BODY", "mine:", "projects:", "broken"]) expect(system(0)).not.toContain(text);
    expect(lastTexts(1)).toEqual(["Unknown skill 'nope'. Available skills: users"]);
    expect(lastTexts(2)[0]).toMatch(/^<skill name="users">THE BODY<\/skill>\n/);
    expect(lastTexts(3)[0]).toContain("beside it");
    const doctor = await lab.run(["doctor"]);
    expect(doctor.stdout).toContain("broken/SKILL.md is left out: it has no description");
    expect(doctor.stdout).toContain("1 skill of this folder not offered: it is not trusted");

    // What appears later waits for the next session; the prefix stays.
    put(lab.home, ".claude/skills/later/SKILL.md", skill("later", "z"));
    await lab.run(["daemon", "stop"]);
    await lab.run(["-p", "more", "-c"]);
    expect(system(4)).toBe(system(0));
    expect(lab.problems()).toEqual([]);
  });

  it("answer to their name from the user, and those of a trusted project come first", async () => {
    lab = await openLab([{ text: "one" }, { text: "two" }, { text: "three" }]);
    put(lab.home, ".claude/skills/hello/SKILL.md", skill("hello", "of the user"));
    put(
      lab.work,
      ".lathe/skills/hello/SKILL.md",
      skill("hello", "Greet $ARGUMENTS, first $ARGUMENTS[0]. !`touch made`"),
    );
    put(lab.work, ".lathe/skills/models/SKILL.md", skill("models", "x", "user-invocable: false\n"));
    await lab.run(["-p", "/hello Ann and Bob"]);
    expect(lastTexts(0).slice(0, 2)).toEqual([
      "/hello Ann and Bob",
      '<skill name="hello">of the user</skill>',
    ]);
    await lab.run(["trust"]);
    await lab.run(["-p", "/hello Ann and Bob"]);
    expect(lastTexts(1)[1]).toBe('<skill name="hello">Greet Ann and Bob, first Ann. !`touch made`</skill>');
    expect(readdirSync(lab.work)).not.toContain("made");
    await lab.run(["-p", "/models x"]);
    expect(JSON.stringify(body(2).messages)).not.toContain("<skill");
    expect(system(2)).toContain("  - models: Does models");
  });
});

describe("the first request", () => {
  const size = (): number => Buffer.byteLength(JSON.stringify(lab?.model.requests[0]?.body));
  const MAIN_JOB = "bash,read_file,edit_file,write_file,grep,glob,list_files,move_file,delete_file";

  it("stays within its budget with every tool, and with those of the main job", async () => {
    lab = await openLab([{ text: "x" }]);
    await lab.run(["-p", "hi"]);
    // The budgets are 18,000 and 9,000. What is to come (agents, jobs, web, memory, MCP) needs the rest: who adds
    // to a request raises these on purpose.
    expect(size()).toBeLessThanOrEqual(9500);
    await lab.play([{ text: "x" }]);
    await lab.run(["-p", "hi", "--tools", MAIN_JOB]);
    expect(body(0).tools.map((tool) => tool.name)).toEqual(MAIN_JOB.split(","));
    expect(size()).toBeLessThanOrEqual(7000);
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { frontMatter } from "./front-matter.ts";
import { loadSkill } from "./load.ts";
import type { SkillGround } from "./places.ts";
import { scanSkills } from "./scan.ts";

let base: string;
let ground: SkillGround;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-skills-")));
  ground = {
    cwd: join(base, "home/p/sub"),
    top: join(base, "home/p"),
    home: join(base, "home"),
    configDir: join(base, "config"),
    managedDir: join(base, "managed"),
    trusted: true,
    precedence: "project-first",
  };
  mkdirSync(ground.cwd, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(base, path, "SKILL.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\nBody of ${name}.\n`;
const names = async () => (await scanSkills(ground)).skills.map((one) => one.name);

describe("front matter", () => {
  test("without an opening or a closing line the whole text is body", () => {
    for (const text of [
      "just text",
      "---\nname: x\nno end",
      " ---\nname: x\n---\n",
      "a\n---\nname: x\n---\n",
    ]) {
      expect(frontMatter(text)).toEqual({ fields: {}, body: text, problem: null });
    }
  });

  test("is read through byte order marks, CRLF, folded texts and lines that are no YAML", () => {
    expect(frontMatter("\uFEFF---\r\nname: x\r\n---\r\nbody").fields).toEqual({ name: "x" });
    expect(frontMatter("---\n---\nbody")).toEqual({ fields: {}, body: "body", problem: null });
    expect(frontMatter("---\ndescription: >\n  a\n  b\n---\n").fields.description).toBe("a b\n");
    expect(frontMatter("---\nname: x\ndescription: Use when: it rains [often\n---\n").fields).toEqual({
      name: "x",
      description: "Use when: it rains [often",
    });
  });

  test("what authors write against YAML is taken for text", () => {
    const text = [
      "name: x",
      "description: [UDS] Use when: it rains,",
      "  or snows: often",
      "# a comment: of its own",
      "argument-hint: [--yes] [--beta]",
      "allowed-tools: [Read, Grep]",
      "disallowed-tools:",
      "- Bash",
      "metadata:",
      "  a: 1",
    ].join("\n");
    expect(frontMatter(`---\n${text}\n---\n`)).toEqual({
      fields: {
        name: "x",
        description: "[UDS] Use when: it rains, or snows: often",
        "argument-hint": "[--yes] [--beta]",
        "allowed-tools": ["Read", "Grep"],
        "disallowed-tools": ["Bash"],
        metadata: { a: 1 },
      },
      body: "",
      problem: null,
    });
  });

  test("runs nothing and does not blow up", () => {
    expect(frontMatter("---js\nmodule.exports = 1\n---\n").fields).toEqual({});
    const bomb = `a: &a [1,1,1,1,1,1,1,1]\n${"bcdefgh"
      .split("")
      .map((key, at) => `${key}: &${key} [${Array(8).fill(`*${"abcdefg"[at]}`).join(",")}]`)
      .join("\n")}`;
    expect(JSON.stringify(frontMatter(`---\n${bomb}\n---\n`)).length).toBeLessThan(2000);
    expect(frontMatter("---\n- a\n---\n").problem).not.toBeNull();
  });
});

describe("the scan", () => {
  test("skips what is broken, says so, and offers the rest by name", async () => {
    put("home/.claude/skills/named", skill("zebra"));
    put("home/.claude/skills/by-folder", "---\ndescription: From its folder.\n---\nx");
    put("home/.claude/skills/silent", "---\nname: silent\n---\nx");
    put("home/.claude/skills/plain", "only a body");
    put("home/.claude/skills/bad-yaml", "---\n- a\n---\nx");
    put("home/.claude/skills/bad-name", skill('"a<b"'));
    mkdirSync(join(base, "home/.claude/skills/is-folder/SKILL.md"), { recursive: true });
    writeFileSync(join(base, "home/.claude/skills/README.md"), "not a skill");
    const scan = await scanSkills(ground);
    expect(scan.skills.map(({ name, description }) => [name, description])).toEqual([
      ["by-folder", "From its folder."],
      ["zebra", "Does zebra."],
    ]);
    const text = scan.problems.join("\n");
    for (const name of ["silent", "plain", "bad-yaml", "bad-name", "is-folder", "named"]) {
      expect(text).toContain(`/${name}/SKILL.md`);
    }
    expect(scan.problems).toHaveLength(6);
  });

  test("of one name the strongest place wins, and the others are listed", async () => {
    const places = [
      "managed/skills",
      "home/p/sub/.lathe/skills",
      "home/p/sub/.agents/skills",
      "home/p/sub/.claude/skills",
      "home/p/sub/skills",
      "home/p/sub/.gemini/skills",
      "home/p/.lathe/skills",
      "config/skills",
      "home/.agents/skills",
      "home/.claude/skills",
      "home/.codex/skills",
    ];
    const files = places.map((place) => put(`${place}/x`, skill("x")));
    for (const [at, file] of files.entries()) {
      const scan = await scanSkills(ground);
      expect(scan.skills.map((one) => one.file)).toEqual([file]);
      expect(scan.shadowed).toHaveLength(files.length - 1 - at);
      rmSync(dirname(file), { recursive: true });
    }
    expect(await names()).toEqual([]);
    ground.precedence = "user-first";
    put("home/p/skills/x", skill("x"));
    const users = put("home/.cursor/skills/x", skill("x"));
    expect((await scanSkills(ground)).skills.map((one) => one.file)).toEqual([users]);
  });

  test("a folder that is not trusted speaks to no model", async () => {
    put("home/p/skills/mine", skill("mine"));
    put("home/.claude/skills/users", skill("users"));
    ground.trusted = false;
    expect(await scanSkills(ground)).toMatchObject({ skills: [{ name: "users" }], untrusted: 1 });
    ground.trusted = true;
    expect(await scanSkills(ground)).toMatchObject({
      skills: [{ name: "mine" }, { name: "users" }],
      untrusted: 0,
    });
  });
});

describe("loading", () => {
  test("gives the trimmed body with its values, and the files beside it", async () => {
    put(
      "home/.claude/skills/a",
      skill("a", "allowed-tools: Read, Bash(git add *) Grep\n").replace(
        "Body of a.",
        "${CLAUDE_SKILL_DIR} ${CLAUDE_SESSION_ID} $ARGUMENTS $ARGUMENTS[1] $1 !`date`",
      ),
    );
    const folder = join(base, "home/.claude/skills/a");
    mkdirSync(join(folder, "scripts"));
    writeFileSync(join(folder, "scripts/run.py"), "");
    writeFileSync(join(folder, "notes.md"), "");
    symlinkSync("/etc/passwd", join(folder, "link"));
    const [found] = (await scanSkills(ground)).skills;
    expect(await loadSkill(found!, { sessionId: "s1" })).toEqual({
      ok: true,
      value: {
        name: "a",
        body: `${folder} s1 $ARGUMENTS $ARGUMENTS[1] $1 !\`date\``,
        folder,
        files: ["notes.md", "scripts/run.py"],
        allowedTools: ["Read", "Bash(git add *)", "Grep"],
      },
    });
    const called = await loadSkill(found!, { sessionId: "s1", arguments: "one $& two" });
    expect(called.ok && called.value.body).toBe(`${folder} s1 one $& two $& $1 !\`date\``);
    rmSync(folder, { recursive: true });
    expect(await loadSkill(found!, { sessionId: "s1" })).toMatchObject({ ok: false, error: { code: "io" } });
  });
});

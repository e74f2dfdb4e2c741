import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instructionDisk } from "./disk.ts";
import { type InstructionInput, type Instructions, loadInstructions } from "./load.ts";

let top: string;
let home: string;
let project: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lathe-instructions-")));
  home = join(top, "home");
  project = join(top, "work", "project");
  mkdirSync(join(project, ".git"), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
const inProject = (path: string, text: string | Uint8Array): string => write(join(project, path), text);
const load = (more: Partial<InstructionInput> = {}): Promise<Instructions> =>
  loadInstructions({
    cwd: project,
    roots: [project],
    home,
    configDir: join(home, ".config", "lathe"),
    ...more,
  });
const pathsOf = ({ blocks }: Instructions): string[] => blocks.map(({ path }) => path.slice(top.length + 1));
const textOf = ({ blocks }: Instructions): string => blocks.map(({ text }) => text).join("\n---\n");

describe("which files", () => {
  it("takes both families, the weakest first", async () => {
    for (const path of [
      "home/.config/AGENTS.md",
      "home/.config/opencode/AGENTS.md",
      "home/.codex/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "home/.claude/rules/mine.md",
      "home/.config/lathe/AGENTS.md",
      "work/CLAUDE.md",
      "work/AGENTS.md",
      "work/project/AGENTS.md",
      "work/project/CLAUDE.md",
      "work/project/.claude/CLAUDE.md",
      "work/project/.claude/rules/b/deep.md",
      "work/project/.claude/rules/a.md",
      "work/project/CLAUDE.local.md",
      "work/project/README.md",
      "work/project/sub/AGENTS.override.md",
      "work/project/sub/AGENTS.md",
      "work/project/sub/below/AGENTS.md",
    ]) {
      write(join(top, path), `text of ${path}`);
    }
    const found = await load({ cwd: join(project, "sub") });
    expect(pathsOf(found)).toEqual([
      "home/.config/AGENTS.md",
      "home/.config/opencode/AGENTS.md",
      "home/.codex/AGENTS.md",
      "home/.claude/CLAUDE.md",
      "home/.config/lathe/AGENTS.md",
      "home/.claude/rules/mine.md",
      "work/CLAUDE.md",
      "work/project/AGENTS.md",
      "work/project/CLAUDE.md",
      "work/project/.claude/CLAUDE.md",
      "work/project/CLAUDE.local.md",
      "work/project/.claude/rules/a.md",
      "work/project/.claude/rules/b/deep.md",
      "work/project/sub/AGENTS.override.md",
    ]);
    expect(found.notices).toEqual([]);
    expect(found.blocks[0]).toEqual({
      path: join(home, ".config/AGENTS.md"),
      text: "text of home/.config/AGENTS.md",
      cut: false,
      bytes: 30,
    });
  });

  it("reads AGENTS.md of the working directory alone where there is no repository", async () => {
    rmSync(join(project, ".git"), { recursive: true });
    write(join(top, "work/AGENTS.md"), "above");
    inProject("AGENTS.md", "here");
    expect(textOf(await load())).toBe("here");
  });

  it("takes README.md only where nothing else is, and little of it", async () => {
    inProject("README.md", "# Hello\n".repeat(2000));
    write(join(home, ".claude/CLAUDE.md"), "mine");
    const found = await load();
    expect(pathsOf(found)).toEqual(["home/.claude/CLAUDE.md", "work/project/README.md"]);
    expect(found.blocks[1]?.bytes).toBeLessThan(4300);
    expect(found.blocks[1]?.text).toMatch(/\[cut: the first 4 KiB of 16 KiB are shown/);
    expect(found.notices).toEqual([]);
    inProject("AGENTS.md", "rules");
    expect(textOf(await load())).toBe("mine\n---\nrules");
  });

  it("takes a file once, whether linked, repeated or imported", async () => {
    inProject("AGENTS.md", "RULE-MARK\n");
    symlinkSync("AGENTS.md", join(project, "CLAUDE.md"));
    inProject(".claude/CLAUDE.md", "\nRULE-MARK");
    inProject("sub/CLAUDE.md", "@../AGENTS.md\n");
    expect((textOf(await load({ cwd: join(project, "sub") })).match(/RULE-MARK/g) ?? []).length).toBe(1);
  });

  it("reads SOUL.md and USER.md from the config folder", async () => {
    write(join(home, ".config/lathe/SOUL.md"), "calm\n");
    write(join(home, ".config/lathe/USER.md"), "x".repeat(20_000));
    const found = await load();
    expect([found.soul, found.user?.length]).toEqual(["calm", 16_384]);
    expect(found.notices).toEqual([expect.stringMatching(/USER\.md .*first 16 KiB/)]);
    expect((await load({ configDir: join(top, "none") })).soul).toBeNull();
  });
});

describe("rules", () => {
  it("with paths are listed, not loaded", async () => {
    inProject(".claude/rules/all.md", "---\ndescription: x\n---\nholds always");
    inProject(".claude/rules/api.md", '---\npaths:\n  - "src/api/**"\n  - **/*.{ts,tsx}\n---\nSECRET RULE');
    inProject(".claude/rules/line.md", "---\npaths: src/**, lib/*.{a,b}\n---\nSECRET RULE");
    const text = textOf(await load());
    expect(text).toContain("holds always");
    expect(text).not.toMatch(/SECRET RULE|description/);
    expect(text).toContain(`- ${project}/.claude/rules/api.md: src/api/**, **/*.{ts,tsx}`);
    expect(text).toContain(`- ${project}/.claude/rules/line.md: src/**, lib/*.{a,b}`);
  });
});

describe("imports", () => {
  it("are taken behind their file, to five levels and without cycles", async () => {
    inProject("AGENTS.md", "start @docs/1.md, and mail me@docs/1.md");
    for (let i = 1; i <= 7; i++) inProject(`docs/${i}.md`, `level ${i}\n@${i + 1}.md @../AGENTS.md`);
    inProject("docs/with space.md", "spaced");
    inProject("CLAUDE.md", "@docs/with\\ space.md");
    const found = await load();
    expect(pathsOf(found).map((path) => path.replace("work/project/", ""))).toEqual([
      "AGENTS.md",
      "docs/1.md",
      "docs/2.md",
      "docs/3.md",
      "docs/4.md",
      "docs/5.md",
      "docs/with space.md",
    ]);
    expect(found.notices).toEqual([expect.stringMatching(/5\.md were left out: .*5 levels/)]);
  });

  it("are not looked for in code", async () => {
    inProject("x.md", "IMPORTED");
    inProject("AGENTS.md", "`@x.md` and ``a ` @x.md``\n```sh\n@x.md\n```\n~~~\n@x.md\n```\n@x.md");
    expect(textOf(await load())).not.toContain("IMPORTED");
    inProject("AGENTS.md", "```\ncode\n```\n(see) @x.md.");
    expect(textOf(await load())).toContain("IMPORTED");
  });

  it("may be the user's Markdown, but lead nowhere else, and to no secret", async () => {
    write(join(home, ".claude/shared.md"), "SHARED");
    write(join(home, ".claude/settings.json"), "PRIVATE");
    write(join(home, "notes.md"), "PRIVATE");
    inProject(".env", "PRIVATE");
    inProject(
      "AGENTS.md",
      `@~/.claude/shared.md @~/.claude/settings.json @~/notes.md @.env @${top}/home/notes.md`,
    );
    const found = await load();
    expect(textOf(found)).toContain("SHARED");
    expect(textOf(found)).not.toContain("PRIVATE");
    expect(found.notices.join("\n")).toMatch(
      /settings\.json, which is outside[\s\S]*notes\.md, which[\s\S]*secrets/,
    );
  });

  it("of the user's own files may lie beside them, wherever a link leads", async () => {
    write(join(home, "dotfiles/agent/CLAUDE.md"), "base @extra.md");
    write(join(home, "dotfiles/agent/extra.md"), "EXTRA");
    mkdirSync(join(home, ".claude"));
    symlinkSync(join(home, "dotfiles/agent/CLAUDE.md"), join(home, ".claude/CLAUDE.md"));
    symlinkSync(join(home, "dotfiles/agent/extra.md"), join(home, ".claude/extra.md"));
    expect(textOf(await load())).toContain("EXTRA");
  });

  it("that are folders or missing are just words", async () => {
    mkdirSync(join(project, "src"));
    inProject("AGENTS.md", "@src and @missing.md and @types/node");
    expect(await load()).toMatchObject({
      notices: [],
      blocks: [{ text: "@src and @missing.md and @types/node" }],
    });
  });
});

describe("what is refused", () => {
  it("a link out of the project, a pipe, a folder, a binary", async () => {
    write(join(home, "private.txt"), "PRIVATE");
    symlinkSync(join(home, "private.txt"), join(project, "AGENTS.md"));
    const makePipe = "mkfifo";
    execFileSync(makePipe, [join(project, "CLAUDE.md")]);
    mkdirSync(join(project, ".claude/CLAUDE.md"), { recursive: true });
    inProject("CLAUDE.local.md", Buffer.from([0x41, 0, 0x42, 0]));
    const found = await load();
    expect(found.blocks).toEqual([]);
    const about = found.notices.map((notice) => notice.slice(project.length + 1)).sort();
    expect(about).toEqual([
      ".claude/CLAUDE.md was left out: it is not a regular file",
      `AGENTS.md was left out: it leads out of the project, to ${join(home, "private.txt")}`,
      "CLAUDE.local.md was left out: it is not text",
      "CLAUDE.md was left out: it is not a regular file",
    ]);
  });

  it("a file of another user above the repository", async () => {
    const above = write(join(top, "work/CLAUDE.md"), "PLANTED");
    const disk = {
      ...instructionDisk,
      read: async (path: string, max: number) => {
        const found = await instructionDisk.read(path, max);
        return found.type === "file" && path === above ? { ...found, foreign: true } : found;
      },
    };
    const found = await load({ disk });
    expect(found.blocks).toEqual([]);
    expect(found.notices).toEqual([expect.stringMatching(/belongs to another user/)]);
  });
});

describe("size", () => {
  it("a huge file is cut between characters, from its first line, with a note and a notice", async () => {
    for (let pad = 0; pad < 4; pad++) {
      let text = `LINE 1${"x".repeat(pad)}\n`;
      for (let n = 2; text.length < 1_500_000; n++) text += `LINE ${n} 😀😀😀😀😀😀😀😀😀😀😀😀\n`;
      inProject("AGENTS.md", `${text}LAST-MARK`);
      const { blocks, notices } = await load();
      const [block] = blocks;
      expect(block?.text).toMatch(/^LINE 1x*\n/);
      expect(block?.text).not.toMatch(/\ufffd|LAST-MARK/);
      expect(block?.text).toMatch(
        /\n\[cut: the first 32 KiB of \d\.\d MiB are shown; read the file for the rest\]$/,
      );
      expect(block).toMatchObject({ cut: true, bytes: Buffer.byteLength(block?.text ?? "") });
      expect(block?.bytes).toBeLessThan(33_000);
      expect(notices).toEqual([expect.stringMatching(/AGENTS\.md was cut: .* first 32 KiB of \d\.\d MiB/)]);
    }
  });

  it("all together are bounded, the nearest first", async () => {
    write(join(home, ".claude/CLAUDE.md"), "u".repeat(900));
    inProject("AGENTS.md", "r".repeat(900));
    inProject("sub/AGENTS.md", "n".repeat(900));
    const found = await load({ cwd: join(project, "sub"), caps: { total: 1000 } });
    expect(found.blocks.map(({ text }) => text.slice(0, 200).replace(/[^rnu]/g, "").length)).toEqual([
      expect.any(Number),
      200,
    ]);
    expect(
      found.blocks[0]?.text.startsWith(`${"r".repeat(100)}\n[cut: the first 100 bytes of 900 bytes`),
    ).toBe(true);
    expect(found.notices).toEqual([
      expect.stringMatching(/project\/AGENTS\.md was cut/),
      expect.stringMatching(/\.claude\/CLAUDE\.md was left out: the files before it fill/),
    ]);
  });

  it("marks of the encoding do not reach the model", async () => {
    inProject("AGENTS.md", Buffer.from("\ufeffutf-8 ä"));
    inProject("CLAUDE.md", Buffer.from("\ufeffutf-16 ä", "utf16le"));
    expect(textOf(await load())).toBe("utf-8 ä\n---\nutf-16 ä");
  });
});

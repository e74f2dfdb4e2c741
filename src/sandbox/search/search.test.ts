import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Result, SandboxPolicy, SearchPort } from "../../protocol/ports.ts";
import { createSearch } from "./create-search.ts";

let base: string;
let work: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-search-")));
  work = join(base, "work");
  mkdirSync(join(base, "home"));
  mkdirSync(join(base, "private-tmp"));
  put("src/a.ts", "const Alpha = 1;\r\nconst beta = 2;\n");
  put("src/deep/er/b.ts", "alpha();\n");
  put("src/deep/er/still/deeper.ts", "alpha();\n");
  put("README.md", "Alpha is (not) here\n");
  put("node_modules/x/index.js", "alpha\n");
  put("src/build/out.js", "alpha\n");
  put(".gitignore", "*.log\n/generated/\n!keep.log\n");
  put("src/.ignore", "skip.ts\n");
  put("src/skip.ts", "alpha\n");
  put(".geminiignore", "private/\n");
  put("private/p.ts", "alpha\n");
  put("x.log", "alpha\n");
  put("keep.log", "alpha\n");
  put("generated/g.ts", "alpha\n");
  put("src/generated/h.ts", "alpha\n");
  put(".env", "ALPHA=1\n");
  put("config/id_secret", "alpha\n");
  put(".github/ci.yml", "alpha: 1\n");
  put("bin.dat", Buffer.from("alpha\0alpha\n"));
  put("u16.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("alpha\n", "utf16le")]));
  symlinkSync("/etc", join(work, "etc-link"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(name: string, content: string | Buffer): void {
  mkdirSync(dirname(join(work, name)), { recursive: true });
  writeFileSync(join(work, name), content);
}

function searchWith(ripgrep: string | null, signal = new AbortController().signal): SearchPort {
  const home = join(base, "home");
  const tmp = join(base, "private-tmp");
  const policy: SandboxPolicy = {
    mode: "workspace-write",
    writableRoots: [work],
    readableRoots: [],
    home,
    tmpDir: tmp,
    denyRead: ["**/.env", "**/id_secret"],
    allowRead: [],
    protectedNames: [],
    network: { type: "none" },
    allowSockets: [],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 1_000_000 },
  };
  const place = { cwd: work, roots: [work], home, tmp };
  return createSearch({ policy, place, ripgrep, environmentPath: process.env.PATH ?? "", signal });
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const plain = { path: ".", literal: false, caseSensitive: false, maxHits: 50 };

describe.each([
  ["ripgrep", rgPath],
  ["the walk", null],
  ["the walk, as no ripgrep is there", "/nowhere/rg"],
])("by %s", (_, ripgrep) => {
  const grep = async (more: object) => {
    const { hits, more: cut } = must(await searchWith(ripgrep).grep({ ...plain, pattern: "alpha", ...more }));
    return {
      cut,
      hits: hits.map((hit) => `${relative(work, hit.path)}:${hit.line}${hit.context ? "-" : ":"}${hit.text}`),
    };
  };

  test("grep honours ignore files, leaves out secrets, and sorts by path", async () => {
    expect(await grep({})).toEqual({
      cut: false,
      hits: [
        "README.md:1:Alpha is (not) here",
        "keep.log:1:alpha",
        "src/a.ts:1:const Alpha = 1;",
        "src/deep/er/b.ts:1:alpha();",
        "src/deep/er/still/deeper.ts:1:alpha();",
        "src/generated/h.ts:1:alpha",
        "u16.txt:1:alpha",
      ],
    });
  });

  test("grep takes a glob, case, literal text, context, a file, and a path below", async () => {
    expect((await grep({ glob: "*.md" })).hits).toEqual(["README.md:1:Alpha is (not) here"]);
    expect((await grep({ glob: "src/deep/**/*.ts", path: "." })).hits).toHaveLength(2);
    expect((await grep({ caseSensitive: true, glob: "a.ts" })).hits).toEqual([]);
    expect((await grep({ pattern: "(not)", literal: true })).hits).toHaveLength(1);
    expect((await grep({ pattern: "beta", context: 1 })).hits).toEqual([
      "src/a.ts:1-const Alpha = 1;",
      "src/a.ts:2:const beta = 2;",
    ]);
    expect((await grep({ path: "src/a.ts" })).hits).toEqual(["src/a.ts:1:const Alpha = 1;"]);
    expect((await grep({ path: "src/deep" })).hits).toHaveLength(2);
    expect((await grep({ path: "node_modules/x" })).hits).toEqual(["node_modules/x/index.js:1:alpha"]);
    expect((await grep({ path: "generated" })).hits).toEqual(["generated/g.ts:1:alpha"]);
  });

  test("grep stops at the limit and cuts long lines", async () => {
    put("many.txt", "hit\n".repeat(60));
    put("wide.txt", `${"w".repeat(3_000_000)}\n`);
    const many = await grep({ pattern: "^hit$" });
    expect([many.hits.length, many.cut]).toEqual([50, true]);
    const wide = await grep({ pattern: "^www" });
    expect(wide.hits[0]?.length).toBeLessThan(600);
  });

  test("a bad pattern, a place outside and a missing one are named", async () => {
    const search = searchWith(ripgrep);
    expect(await search.grep({ ...plain, pattern: "a(" })).toMatchObject({ error: { code: "invalid" } });
    expect(await search.grep({ ...plain, pattern: "a", path: "/etc" })).toMatchObject({
      error: { code: "outside_roots" },
    });
    expect(await search.grep({ ...plain, pattern: "a", path: "etc-link" })).toMatchObject({
      error: { code: "outside_roots" },
    });
    expect(await search.glob({ pattern: "*", path: "none", maxFiles: 9 })).toMatchObject({
      error: { code: "not_found" },
    });
  });

  test("glob finds by name at any depth, by path, and dot files when asked", async () => {
    const find = async (pattern: string, maxFiles = 100) => {
      const { paths, more } = must(await searchWith(ripgrep).glob({ pattern, path: ".", maxFiles }));
      return { more, paths: paths.map((path) => relative(work, path)) };
    };
    expect((await find("*.ts")).paths).toEqual([
      "src/a.ts",
      "src/deep/er/b.ts",
      "src/deep/er/still/deeper.ts",
      "src/generated/h.ts",
    ]);
    expect((await find("src/*.ts")).paths).toEqual(["src/a.ts"]);
    expect((await find("**/*.{md,log}")).paths).toEqual(["README.md", "keep.log"]);
    expect((await find(".github/*.yml")).paths).toEqual([".github/ci.yml"]);
    expect((await find("**/.env")).paths).toEqual([]);
    expect(await find("*.ts", 2)).toEqual({ more: true, paths: ["src/a.ts", "src/deep/er/b.ts"] });
  });

  test("an abort ends the search", async () => {
    const controller = new AbortController();
    controller.abort();
    const result = await searchWith(ripgrep, controller.signal).grep({ ...plain, pattern: "alpha" });
    expect(result).toMatchObject({ error: { code: "aborted" } });
  });
});

test("list goes three levels deep, marks directories, skips what is skipped, and stops", async () => {
  const search = searchWith(null);
  const { entries, more } = must(await search.list({ path: ".", maxDepth: 3, maxEntries: 200 }));
  const shown = entries.map((entry) => relative(work, entry.path) + (entry.directory ? "/" : ""));
  expect(more).toBe(false);
  expect(shown).toEqual([
    "README.md",
    "bin.dat",
    "config/",
    "keep.log",
    "src/",
    "src/a.ts",
    "src/deep/",
    "src/deep/er/",
    "src/generated/",
    "src/generated/h.ts",
    "u16.txt",
  ]);
  for (let index = 0; index < 300; index++) put(`many/f${index}.txt`, "");
  const many = must(await search.list({ path: "many", maxDepth: 3, maxEntries: 200 }));
  expect([many.entries.length, many.more]).toEqual([200, true]);
  expect(await search.list({ path: "README.md", maxDepth: 3, maxEntries: 9 })).toMatchObject({
    error: { code: "not_a_directory" },
  });
});

test("the walk gives up on a pattern that takes for ever", async () => {
  put("aaa.txt", `${"a".repeat(40)}b\n`);
  const result = await searchWith(null).grep({ ...plain, pattern: "(a+)+$", path: "aaa.txt" });
  expect(result).toMatchObject({ error: { code: "invalid", message: expect.stringContaining("too long") } });
});

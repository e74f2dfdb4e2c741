import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EditOutcome, FilePort, Result, SandboxPolicy } from "../../protocol/ports.ts";
import type { Place } from "../../protocol/tool.ts";
import { sha256 } from "../../shared/hash.ts";
import type { ChangeRow, FilesOptions } from "./context.ts";
import { createFiles } from "./create-files.ts";
import { createReadLedger } from "./ledger.ts";

let base: string;
let work: string;
let place: Place;
let policy: SandboxPolicy;
let rows: ChangeRow[];
let blobs: Map<string, Uint8Array>;
let options: FilesOptions;
let files: FilePort;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-files-")));
  work = join(base, "work");
  for (const name of ["work", "home", "private-tmp", "outside"]) mkdirSync(join(base, name));
  place = { cwd: work, roots: [work], home: join(base, "home"), tmp: join(base, "private-tmp") };
  policy = {
    mode: "workspace-write",
    writableRoots: [work],
    readableRoots: [],
    home: place.home,
    tmpDir: place.tmp,
    denyRead: ["**/.env", join(place.home, ".ssh")],
    allowRead: [],
    protectedNames: [".git/hooks", ".git/config", ".bashrc"],
    network: { type: "none" },
    allowSockets: [],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 1_000_000 },
  };
  rows = [];
  blobs = new Map();
  options = {
    policy,
    place,
    seen: createReadLedger(),
    async storeBytes(bytes) {
      const hash = sha256(bytes);
      blobs.set(hash, Uint8Array.from(bytes));
      return hash;
    },
    onChange: (row) => void rows.push(row),
    signal: new AbortController().signal,
  };
  files = createFiles(options);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string): string => join(work, name);
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content);
  return at(name);
};
const bytesOf = (name: string): string => readFileSync(at(name)).toString("latin1");
const read = (name: string) => files.readText(at(name), { maxChars: 50_000 });
const edit = (name: string, oldText: string, newText: string, more = {}): Promise<Result<EditOutcome>> =>
  files.editText(at(name), { oldText, newText, replaceAll: false, ...more });
const errorOf = (result: Result<unknown>): string => (result.ok ? "no error" : result.error.code);
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

test("H01: mixed line ends and a missing final newline survive edits", async () => {
  put("m.txt", "a\r\nb\nc\r\nd");
  await read("m.txt");
  must(await edit("m.txt", "b", "B"));
  must(await edit("m.txt", "B\nc", "B\nC"));
  expect(bytesOf("m.txt")).toBe("a\r\nB\nC\r\nd");
});

test("H02: UTF-16 is edited as UTF-16, UTF-32 is refused", async () => {
  put("u.txt", Buffer.from("fffe680069000a00", "hex"));
  expect(must(await read("u.txt")).lines).toEqual(["hi"]);
  must(await edit("u.txt", "hi", "ho"));
  expect(readFileSync(at("u.txt")).toString("hex")).toBe("fffe68006f000a00");

  put("be.txt", Buffer.from("feff00680069000d000a", "hex"));
  expect(must(await read("be.txt")).lines).toEqual(["hi"]);
  must(await edit("be.txt", "hi\n", "ho\nx\n"));
  expect(readFileSync(at("be.txt")).toString("hex")).toBe("feff0068006f000d000a0078000d000a");

  put("w.txt", Buffer.from("0000feff00000068", "hex"));
  expect(errorOf(await read("w.txt"))).toBe("unsupported_encoding");
  expect(errorOf(await edit("w.txt", "h", "x"))).toBe("unsupported_encoding");
});

test("H03: a touch is no change, and three spellings are one file", async () => {
  put("t.txt", "p\r\nq\r\n");
  await files.readText("t.txt", { maxChars: 100 });
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(at("t.txt"), later, later);
  must(await edit("t.txt", "q", "Q"));
  await files.readText("./t.txt", { maxChars: 100 });
  must(await edit("t.txt", "p", "P"));
  expect(bytesOf("t.txt")).toBe("P\r\nQ\r\n");
});

test("H04: a near match is refused and the neighbour stays whole", async () => {
  const source =
    "function loadUser(id) {\n  return db.get(id);\n}\n\nfunction loadTeam(id) {\n  return db.get(id);\n}\n";
  put("n.js", source);
  await read("n.js");
  const result = await edit(
    "n.js",
    "function loadUsers(id) {\n  return db.get(id);\n}",
    "function loadUsers(id) { return null; }",
  );
  expect(errorOf(result)).toBe("no_match");
  expect(!result.ok && result.error.message).toContain('1: "function loadUser(id) {"');
  expect(bytesOf("n.js")).toBe(source);
  expect(rows).toEqual([]);
});

test("white space at line ends may differ when there is one such place only", async () => {
  put("s.txt", "one  \r\ntwo\t\r\nthree");
  await read("s.txt");
  must(await edit("s.txt", "one\ntwo", "1\n2"));
  expect(bytesOf("s.txt")).toBe("1\r\n2\r\nthree");
  put("d.txt", "x \nx\t\n");
  await read("d.txt");
  expect(errorOf(await edit("d.txt", "x\n\n", "y"))).toBe("no_match");
});

test("H05: overlapping matches are ambiguous, empty and missing text are errors", async () => {
  put("o.txt", "go;\ngo;\ngo;\n");
  await read("o.txt");
  expect(errorOf(await edit("o.txt", "go;\ngo;", "y"))).toBe("ambiguous");
  expect(errorOf(await edit("o.txt", "zzz", "y"))).toBe("no_match");
  expect(errorOf(await edit("o.txt", "", "y"))).toBe("invalid");
  expect(bytesOf("o.txt")).toBe("go;\ngo;\ngo;\n");
});

test("H06: one long line is read in pieces that join without a gap", async () => {
  const text = `[${Array.from({ length: 300_000 }, (_, index) => `{"k":${index}}`).join(",")}]`;
  put("big.json", text);
  const first = must(await files.readText(at("big.json"), { maxChars: 50_000 }));
  expect(first.lines[0]?.startsWith('[{"k":0}')).toBe(true);
  expect(first.lines[0]?.length).toBe(50_000);
  const second = must(
    await files.readText(at("big.json"), { maxChars: 50_000, firstLine: 1, startChar: first.nextChar! }),
  );
  expect(first.lines[0]! + second.lines[0]!).toBe(text.slice(0, 100_000));
  expect(second).toMatchObject({ totalLines: 1, remainingLines: 0, nextChar: 100_000 });
});

test("H07: a BOM is kept once and never shown", async () => {
  put("b.cs", Buffer.from("\ufeffnaïve();\r\nend\r\n"));
  expect(must(await read("b.cs")).lines[0]).toBe("naïve();");
  must(await edit("b.cs", "naïve();", "café();"));
  expect(readFileSync(at("b.cs"), "utf8")).toBe("\ufeffcafé();\r\nend\r\n");
  must(await files.writeText(at("b.cs"), "\ufeffnew\n"));
  expect(readFileSync(at("b.cs"), "utf8")).toBe("\ufeffnew\r\n");
});

test("bytes that are no UTF-8 survive an edit elsewhere", async () => {
  put("l.txt", Buffer.from("caf\xe9 \xff\nline\n", "latin1"));
  expect(must(await read("l.txt")).lines[0]).toBe("caf\ufffd \ufffd");
  must(await edit("l.txt", "line", "Zeile"));
  expect(bytesOf("l.txt")).toBe("caf\xe9 \xff\nZeile\n");
});

test("the first of several matches is replaced and the others are reported", async () => {
  put("r.txt", "x\ny\nx\nx\n");
  await read("r.txt");
  expect(must(await edit("r.txt", "x", "z"))).toMatchObject({
    replaced: 1,
    matches: 3,
    line: 1,
    otherLines: [3, 4],
  });
  expect(errorOf(await edit("r.txt", "x", "z", { expectedMatches: 3 }))).toBe("ambiguous");
  expect(must(await edit("r.txt", "x", "z", { replaceAll: true }))).toMatchObject({
    replaced: 2,
    matches: 2,
  });
  expect(bytesOf("r.txt")).toBe("z\ny\nz\nz\n");
});

test("a file must be read before it is changed, and again when it changed", async () => {
  put("f.txt", "one\n");
  expect(errorOf(await edit("f.txt", "one", "two"))).toBe("not_read");
  expect(errorOf(await files.writeText(at("f.txt"), "two"))).toBe("not_read");
  await read("f.txt");
  put("f.txt", "ONE\n");
  expect(errorOf(await edit("f.txt", "ONE", "two"))).toBe("changed_since_read");
  await read("f.txt");
  must(await edit("f.txt", "ONE", "two"));
  must(await files.writeText(at("f.txt"), "three\n"));
  expect(bytesOf("f.txt")).toBe("three\n");
  const kept = createReadLedger(JSON.parse(JSON.stringify(options.seen)));
  must(await createFiles({ ...options, seen: kept }).writeText(at("f.txt"), "four\n"));
});

test("new files get their directories; both versions are stored; the same bytes are no change", async () => {
  expect(must(await files.writeText(at("a/b/c.txt"), "hi\n"))).toMatchObject({
    created: true,
    bytes: 3,
    added: 1,
  });
  must(await files.writeText(at("a/b/c.txt"), "ho\n"));
  must(await files.writeText(at("a/b/c.txt"), "ho\n"));
  expect(rows.map(({ before, after }) => [before, after])).toEqual([
    [null, sha256("hi\n")],
    [sha256("hi\n"), sha256("ho\n")],
  ]);
  expect(Buffer.from(blobs.get(sha256("hi\n"))!).toString()).toBe("hi\n");
  expect(readdirSync(at("a/b"))).toEqual(["c.txt"]);
});

test("mode, hard links and links are kept", async () => {
  put("run.sh", "#!/bin/sh\n");
  chmodSync(at("run.sh"), 0o750);
  linkSync(at("run.sh"), at("twin.sh"));
  symlinkSync("run.sh", at("link.sh"));
  await read("link.sh");
  must(await edit("link.sh", "/bin/sh", "/bin/bash"));
  expect(bytesOf("twin.sh")).toBe("#!/bin/bash\n");
  expect(lstatSync(at("link.sh")).isSymbolicLink()).toBe(true);
  expect(statSync(at("run.sh")).mode & 0o777).toBe(0o750);
  put("only.sh", "x\n");
  chmodSync(at("only.sh"), 0o640);
  await read("only.sh");
  must(await edit("only.sh", "x", "y"));
  expect(statSync(at("only.sh")).mode & 0o777).toBe(0o640);
});

test("what lies outside is refused by every name", async () => {
  writeFileSync(join(base, "outside/secret.txt"), "s\n");
  mkdirSync(`${work}-sibling`);
  symlinkSync(join(base, "outside"), at("out"));
  symlinkSync(join(base, "outside/new.txt"), at("dangling"));
  for (const path of [
    "/etc/x",
    "../x",
    "a/../../x",
    `${work}-sibling/x`,
    at("out/x"),
    at("dangling"),
    join(base, "outside/secret.txt"),
  ]) {
    const result = await files.writeText(path, "x");
    expect([path, errorOf(result)]).toEqual([path, "outside_roots"]);
    expect(!result.ok && result.error.message).toContain("Path escapes workspace");
  }
  expect(errorOf(await files.readText(at("out/secret.txt"), { maxChars: 100 }))).toBe("outside_roots");
  expect(readdirSync(join(base, "outside"))).toEqual(["secret.txt"]);
  expect(errorOf(await files.writeText(`${at("a")}\0.txt`, "x"))).toBe("invalid");
});

test("an approval opens exactly the approved path", async () => {
  const outside = join(base, "outside/a.txt");
  const approved = createFiles({ ...options, approved: { outside: [outside], protectedPaths: [] } });
  must(await approved.writeText(outside, "x"));
  expect(errorOf(await approved.writeText(join(base, "outside/b.txt"), "x"))).toBe("outside_roots");
});

test("protected names and secrets are refused, also through links and other case", async () => {
  mkdirSync(at(".git"));
  symlinkSync(".git", at("g"));
  put(".env", "KEY=1\n");
  expect(errorOf(await files.writeText(at(".git/hooks/pre-commit"), "x"))).toBe("protected");
  expect(errorOf(await files.writeText(at(".GIT/Hooks/pre-commit"), "x"))).toBe("protected");
  expect(errorOf(await files.writeText(at("g/config"), "x"))).toBe("protected");
  expect(errorOf(await files.writeText(at(".bashrc"), "x"))).toBe("protected");
  expect(errorOf(await read(".env"))).toBe("secret");
  expect(errorOf(await files.move(at(".git"), at("moved")))).not.toBe("no error");
  expect(existsSync(at(".git"))).toBe(true);
});

test("/tmp is the session's private one", async () => {
  writeFileSync(join(place.tmp, "made-by-command.txt"), "hi\n");
  expect(must(await files.readText("/tmp/made-by-command.txt", { maxChars: 100 })).lines).toEqual(["hi"]);
  must(await files.editText("/tmp/made-by-command.txt", { oldText: "hi", newText: "ho", replaceAll: false }));
  expect(readFileSync(join(place.tmp, "made-by-command.txt"), "utf8")).toBe("ho\n");
});

test("reading raw bytes counts as read; appending to unread content does not", async () => {
  put("n.ipynb", "{}\n");
  must(await files.readBytes(at("n.ipynb"), 100));
  must(await edit("n.ipynb", "{}", "[]"));
  put("log.txt", "unread\n");
  must(await files.appendText(at("log.txt"), "more\n"));
  expect(errorOf(await files.writeText(at("log.txt"), "x"))).toBe("not_read");
});

test.skipIf(process.getuid?.() === 0)("a file that its owner made read-only stays so", async () => {
  put("fixed.txt", "x\n");
  chmodSync(at("fixed.txt"), 0o444);
  await read("fixed.txt");
  expect(errorOf(await edit("fixed.txt", "x", "y"))).toBe("permission");
});

test("random edits change nothing but the matched span", async () => {
  const piece = fc.constantFrom("a", "\n", "\r\n", "\r", "é", "\xff", " ", "\ufeff");
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(piece), async (before, after) => {
      const bytes = (parts: string[]): Buffer =>
        Buffer.concat(parts.map((part) => Buffer.from(part, part === "\xff" ? "latin1" : "utf8")));
      const [head, tail] = [bytes(["x", ...before]), bytes(after)];
      put("p.txt", Buffer.concat([head, Buffer.from("<NEEDLE>"), tail]));
      await read("p.txt");
      must(await edit("p.txt", "<NEEDLE>", "thing"));
      expect(readFileSync(at("p.txt"))).toEqual(Buffer.concat([head, Buffer.from("thing"), tail]));
    }),
    { numRuns: 60 },
  );
});

test("append follows the line ends that are there", async () => {
  put("log.txt", "a\r\n");
  must(await files.appendText(at("log.txt"), "b\nc\n"));
  expect(bytesOf("log.txt")).toBe("a\r\nb\r\nc\r\n");
  must(await files.appendText(at("new.txt"), "b\n"));
  expect(bytesOf("new.txt")).toBe("b\n");
});

test("delete and move store what an undo needs", async () => {
  mkdirSync(at("dir/sub"), { recursive: true });
  put("dir/a.txt", "a");
  put("dir/sub/b.txt", "b");
  put("keep.txt", "keep");
  symlinkSync("../keep.txt", at("dir/link"));
  expect(must(await files.remove(at("dir")))).toMatchObject({ files: 2 });
  expect(existsSync(at("dir"))).toBe(false);
  expect(bytesOf("keep.txt")).toBe("keep");
  expect(rows.map((row) => row.before).sort()).toEqual([sha256("a"), sha256("b")].sort());
  rows.length = 0;

  await read("keep.txt");
  must(await files.move(at("keep.txt"), at("deep/er/kept.txt")));
  expect(bytesOf("deep/er/kept.txt")).toBe("keep");
  expect(rows).toMatchObject([
    { path: at("keep.txt"), after: null },
    { path: at("deep/er/kept.txt"), before: null, after: sha256("keep") },
  ]);
  must(await edit("deep/er/kept.txt", "keep", "kept"));
  put("other.txt", "o");
  expect(errorOf(await files.move(at("other.txt"), at("deep/er/kept.txt")))).toBe("invalid");
  expect(errorOf(await files.remove(work))).toBe("protected");
  expect(errorOf(await files.remove(at("nothing")))).toBe("not_found");
});

test("pipes, devices and directories are refused at once", async () => {
  const makePipe = "mkfifo";
  spawnSync(makePipe, [at("pipe")]);
  expect(errorOf(await read("pipe"))).toBe("invalid");
  expect(errorOf(await files.kind(at("pipe")))).toBe("invalid");
  expect(errorOf(await files.writeText(at("pipe"), "x"))).toBe("invalid");
  expect(errorOf(await read("."))).toBe("is_directory");
});

test("a full disk is named and leaves the original", async () => {
  put("x.txt", "old\n");
  await read("x.txt");
  const full = createFiles({
    ...options,
    storeBytes: () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })),
  });
  expect(errorOf(await full.writeText(at("x.txt"), "new\n"))).toBe("no_space");
  expect(bytesOf("x.txt")).toBe("old\n");
  expect(readdirSync(work)).toEqual(["x.txt"]);
  // A file with another name is written in place: not before its old bytes are safe, either.
  linkSync(at("x.txt"), join(base, "other-name"));
  expect(errorOf(await full.writeText(at("x.txt"), "new\n"))).toBe("no_space");
  expect(bytesOf("x.txt")).toBe("old\n");
});

test("kind goes by content", async () => {
  put("a.txt", "text");
  put("fake.txt", Buffer.from("89504e470d0a1a0a00", "hex"));
  put("d.pdf", "%PDF-1.7\n");
  put("n.ipynb", "{}");
  put("e.bin", Buffer.from("7f454c46020101000000", "hex"));
  put("empty", "");
  const kinds = await Promise.all(
    ["a.txt", "fake.txt", "d.pdf", "n.ipynb", "e.bin", "empty", "."].map((name) => files.kind(at(name))),
  );
  expect(kinds.map((kind) => must(kind).type)).toEqual([
    "text",
    "image",
    "pdf",
    "notebook",
    "binary",
    "text",
    "directory",
  ]);
});

test("a dry run says what would change and leaves all as it is", async () => {
  put("f.txt", "one\n");
  await read("f.txt");
  const dry = createFiles({ ...options, dryRun: true });
  const edited = must(await dry.editText(at("f.txt"), { oldText: "one", newText: "two", replaceAll: false }));
  expect(edited.patch).toBe("@@ -1,1 +1,1 @@\n-one\n+two\n");
  must(await dry.writeText(at("new/n.txt"), "n"));
  must(await dry.move(at("f.txt"), at("g.txt")));
  must(await dry.remove(at("f.txt")));
  expect(readdirSync(work)).toEqual(["f.txt"]);
  expect([bytesOf("f.txt"), rows, blobs.size]).toEqual(["one\n", [], 0]);
  must(await edit("f.txt", "one", "three"));
});

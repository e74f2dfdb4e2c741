import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ContentBlock } from "../../protocol/message.ts";
import type { SandboxPolicy } from "../../protocol/ports.ts";
import type { Place } from "../../protocol/tool.ts";
import { createFiles } from "../../sandbox/files/create-files.ts";
import { createReadLedger } from "../../sandbox/files/ledger.ts";
import { createSearch } from "../../sandbox/search/create-search.ts";
import { encodePng } from "../../shared/png.ts";
import { expandMentions } from "./expand.ts";
import { findMentions } from "./find-mentions.ts";

describe("findMentions", () => {
  const pathsIn = (text: string): string[][] =>
    findMentions(text).map(({ readings }) =>
      readings.map(({ path, firstLine, lastLine }) =>
        firstLine === undefined ? path : `${path} from ${firstLine} to ${lastLine}`,
      ),
    );

  it("reads files, folders, quoted paths and lines", () => {
    expect(pathsIn('see @src/a.ts and @lib/ and @"my file.txt" and @"a b":3-4 @~/x')).toEqual([
      ["src/a.ts"],
      ["lib/"],
      ["my file.txt"],
      ["a b from 3 to 4"],
      ["~/x"],
    ]);
    expect(pathsIn("@a.ts:10-20 @b.ts#L5-L7 @c.ts:9 @d:5-2")).toEqual([
      ["a.ts:10-20", "a.ts from 10 to 20"],
      ["b.ts#L5-L7", "b.ts from 5 to 7"],
      ["c.ts:9", "c.ts from 9 to 9"],
      ["d:5-2", "d from 5 to 5"],
    ]);
  });

  it("tries the path without the sentence around it", () => {
    expect(pathsIn("(@a.ts) what of @b.ts?")).toEqual([
      ["a.ts)", "a.ts"],
      ["b.ts?", "b.ts"],
    ]);
    expect(pathsIn("查看@src/a.ts的内容。")).toEqual([["src/a.ts的内容。", "src/a.ts的内容", "src/a.ts"]]);
  });

  it("takes neither addresses nor code", () => {
    expect(pathsIn("me@example.com a/@b npm i x@1.2 @@ @ @, `@a.ts`\n```py\n@property\n```\n")).toEqual([]);
    expect(pathsIn("@a ".repeat(5) + Array.from({ length: 40 }, (_, i) => `@f${i}`).join(" "))).toHaveLength(
      20,
    );
  });
});

let base: string;
let place: Place;
let expand: (text: string) => Promise<ContentBlock[]>;
const stored: Uint8Array[] = [];

function put(name: string, content: string | Uint8Array): void {
  const path = join(place.cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mentions-")));
  place = {
    cwd: join(base, "work"),
    roots: [join(base, "work")],
    home: join(base, "home"),
    tmp: join(base, "tmp"),
  };
  for (const folder of [place.cwd, place.home, place.tmp]) mkdirSync(folder);
  const policy: SandboxPolicy = {
    mode: "read-only",
    writableRoots: place.roots,
    readableRoots: [],
    home: place.home,
    tmpDir: place.tmp,
    denyRead: [join(place.cwd, ".env")],
    allowRead: [],
    protectedNames: [],
    network: { type: "none" },
    allowSockets: [],
    limits: { memoryMb: null, processes: null, tmpMb: null, outputBytes: 1000 },
  };
  const { signal } = new AbortController();
  const files = createFiles({
    policy,
    place,
    seen: createReadLedger(),
    storeBytes: async () => "",
    onChange: () => {},
    signal,
  });
  const search = createSearch({ policy, place, ripgrep: null, environmentPath: "", signal });
  stored.length = 0;
  expand = (text) =>
    expandMentions({
      text,
      place,
      files,
      search,
      image: async (bytes, mediaType, size) => {
        stored.push(bytes);
        return { type: "image", blob: { hash: `h${stored.length}`, size: bytes.length, mediaType }, ...size };
      },
    });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const texts = (blocks: ContentBlock[]): string[] =>
  blocks.map((block) => (block.type === "reminder" ? block.text : `(${block.type})`));

describe("expandMentions", () => {
  it("attaches files with numbered lines, each once", async () => {
    put("a b.txt", "one\ntwo\n");
    put("empty", "");
    expect(texts(await expand('fix @"a b.txt" and @empty, again @"a b.txt" or @./empty'))).toEqual([
      "The user mentioned a b.txt (2 lines):\n   1 | one\n   2 | two",
      "The user mentioned empty. It is empty.",
    ]);
  });

  it("attaches the lines that were asked for", async () => {
    put("a.ts", Array.from({ length: 30 }, (_, i) => `l${i + 1}`).join("\n"));
    put("b:7", "odd name\n");
    expect(texts(await expand("@a.ts:10-11, @a.ts#L30 @a.ts:99 @b:7"))).toEqual([
      "The user mentioned a.ts (30 lines, lines 10-11):\n  10 | l10\n  11 | l11\n... (19 more lines: read_file with offset=12)",
      "The user mentioned a.ts (30 lines, lines 30-30):\n  30 | l30",
      "The user mentioned a.ts from line 99, but it has 30 lines.",
      "The user mentioned b:7 (1 line):\n   1 | odd name",
    ]);
  });

  it("lists folders", async () => {
    put("src/x/y/z.ts", "");
    put("src/a.ts", "");
    expect(texts(await expand("look into @src/"))).toEqual([
      "The user mentioned the folder src:\na.ts\nx/\nx/y/",
    ]);
  });

  it("bounds one file and all together, and says how to read on", async () => {
    for (const name of ["a", "b", "c", "d"]) put(name, `${"x".repeat(99)}\n`.repeat(1000));
    put("long", "y".repeat(50_000));
    const blocks = texts(await expand("@a @b @c @d @long"));
    expect(blocks[0]).toMatch(/lines 1-\d+\)[\s\S]*more lines: read_file with offset=\d+\)$/);
    expect(blocks.join("").length).toBeLessThan(100_000);
    expect(blocks[4]).toMatch(/not attached: the files before it fill the room/);
    expect(texts(await expand("@long"))[0]).toMatch(
      /line 1 goes on: read_file with offset=1, start_char=\d+\)$/,
    );
  });

  it("attaches pictures that models take, and says why not otherwise", async () => {
    put("wide.png", encodePng(new Uint8Array(2600 * 4), 2600, 1));
    put("broken.png", encodePng(new Uint8Array(40 * 4), 40, 1).subarray(0, 50));
    const blocks = await expand("@wide.png @broken.png");
    expect(blocks.slice(0, 2)).toMatchObject([
      { type: "reminder", text: "The user mentioned wide.png; the image that follows." },
      { type: "image", name: "wide.png", width: 2000, height: 1, blob: { mediaType: "image/png" } },
    ]);
    expect(texts(blocks.slice(2))).toEqual([
      expect.stringMatching(/broken\.png\. It is not attached: it is cut off/),
    ]);
    expect(stored).toHaveLength(1);
  });

  it("ignores what does not exist and reports what may not be read", async () => {
    put(".env", "KEY=1");
    put("x.bin", Buffer.from([0, 1, 2, 3, 0, 0]));
    expect(await expand("@Injectable() @types/node @nobody, hello")).toEqual([]);
    writeFileSync(join(base, "home/private.txt"), "KEY=1");
    const refused = texts(await expand("@.env @x.bin @~/private.txt @../home/private.txt"));
    expect(refused).toHaveLength(3);
    expect(refused.join()).not.toMatch(/KEY=1/);
    expect(refused[0]).toMatch(/^The user mentioned \.env\. It is not attached: /);
  });
});

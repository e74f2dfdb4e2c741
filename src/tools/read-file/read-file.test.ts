import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolLab, type ToolLab, textOf } from "../../../test/support/tool-context.ts";
import { readFileTool } from "./read-file.ts";

let lab: ToolLab;
beforeEach(() => {
  lab = createToolLab();
});
afterEach(() => lab.end());

const put = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(lab.work, name), content);
const read = (input: Parameters<ToolLab["run"]>[1]) => lab.run(readFileTool, input);
const count = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");

test("lines are numbered below a header with path and count", async () => {
  put("a.txt", "first\n\tsecond");
  expect(textOf(await read({ path: "a.txt" }))).toBe("a.txt (2 lines)\n   1 | first\n   2 | \tsecond");
  put("empty.txt", "");
  expect(textOf(await read({ path: "empty.txt" }))).toBe("empty.txt (0 lines)\n(empty file)");
});

test("a limit says how many lines are left and how to go on", async () => {
  put("a.txt", count(100));
  const text = textOf(await read({ file_path: "a.txt", limit: "10" }));
  expect(text.split("\n")).toHaveLength(12);
  expect(text).toContain("90 more lines; read on with offset=11");
  expect(textOf(await read({ path: "a.txt", offset: 99 }))).toBe(
    "a.txt (100 lines, showing 99-100)\n  99 | line 99\n 100 | line 100",
  );
  expect(await read({ path: "a.txt", offset: 101 })).toMatchObject({ status: "error" });
  const range = textOf(await read({ path: "a.txt", view_range: [5, 6] }));
  expect(range).toContain("   5 | line 5\n   6 | line 6\n... (94 more");
});

test("a long file is cut at 50,000 characters, and reading on misses no line", async () => {
  put("long.txt", count(9000));
  const seen: number[] = [];
  let offset: number | undefined = 1;
  while (offset !== undefined) {
    const text = textOf(await read({ path: "long.txt", offset }));
    expect(text.length).toBeLessThanOrEqual(50_000);
    for (const match of text.matchAll(/^ *(\d+) \| line \1$/gm)) seen.push(Number(match[1]));
    const next = /offset=(\d+)/.exec(text)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  expect(seen).toEqual(Array.from({ length: 9000 }, (_, index) => index + 1));
});

test("H06: one very long line is read in pieces by the offsets that are offered", async () => {
  const json = `[${Array.from({ length: 30_000 }, (_, index) => `{"k":${index}}`).join(",")}]`;
  put("big.json", json);
  let whole = "";
  let start: number | undefined = 0;
  while (start !== undefined) {
    const text = textOf(await read({ path: "big.json", offset: 1, start_char: start }));
    expect(text.length).toBeLessThanOrEqual(50_000);
    whole += /^ {3}1 \| (.*)$/m.exec(text)?.[1];
    const next = /start_char=(\d+)/.exec(text)?.[1];
    start = next === undefined ? undefined : Number(next);
  }
  expect(whole).toBe(json);
});

test("what is no text is refused with what it is and what to do", async () => {
  mkdirSync(join(lab.work, "dir"));
  put("doc.pdf", "%PDF-1.4\nxx");
  put("prog", Buffer.from("7f454c4602010100000000", "hex"));
  expect(textOf(await read({ path: "dir" }))).toContain("Use list_files");
  expect(textOf(await read({ path: "doc.pdf" }))).toContain("pdftotext");
  expect(textOf(await read({ path: "prog" }))).toMatch(/ELF.* 11 bytes/);
  expect(textOf(await read({ path: "none.txt" }))).toContain("No such file");
  expect(textOf(await read({ path: "../x" }))).toContain("Path escapes workspace: ");
  expect(textOf(await read({}))).toBe('Missing required parameter "path".');
});

test("a notebook is shown as its cells", async () => {
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "display_data", data: { "text/plain": "<Figure>", "image/png": "AAAA" } },
        { output_type: "error", traceback: ["\u001b[31mValueError\u001b[0m"] },
      ],
    },
  ];
  put("n.ipynb", JSON.stringify({ cells }));
  expect(textOf(await read({ path: "n.ipynb" }))).toBe(
    "n.ipynb (notebook, 2 cells; with offset=1 you get its JSON)\n\n[cell 1: markdown]\n# Title\ntext\n\n[cell 2: code]\nprint(1)\n[output]\n1\n<Figure>\n[image/png not shown]\nValueError",
  );
  expect(textOf(await read({ path: "n.ipynb", offset: 1 }))).toContain('   1 | {"cells":');
  put("bad.ipynb", "{");
  expect(await read({ path: "bad.ipynb" })).toMatchObject({ status: "error" });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Editor,
  EMPTY_EDITOR,
  erase,
  insert,
  type Motion,
  move,
  moveLine,
  paste,
  undo,
  wholeText,
  yank,
} from "./editor.ts";

const typed = (text: string): Editor => insert(EMPTY_EDITOR, text);

describe("the editor", () => {
  it("moves and deletes whole characters", () => {
    const family = "a👨‍👩‍👧e\u0301";
    let editor = typed(family);
    editor = erase(editor, "left");
    expect(editor.text).toBe("a👨‍👩‍👧");
    editor = erase(editor, "left");
    expect(editor).toMatchObject({ text: "a", cursor: 1 });
  });

  it("cuts and yanks as a shell does", () => {
    let editor = erase(typed("one two three"), "word_left", true);
    expect(editor.text).toBe("one two ");
    editor = yank(move(editor, "start"));
    expect(editor.text).toBe("threeone two ");
    editor = erase(move(editor, "start"), "line_end", true);
    expect(editor).toMatchObject({ text: "", killed: "threeone two " });
  });

  it("undoes words, not letters", () => {
    let editor = insert(insert(typed("a"), "b"), "c");
    editor = erase(editor, "left");
    expect(undo(editor).text).toBe("abc");
    expect(undo(undo(editor)).text).toBe("");
  });

  it("moves between lines and says where there is none", () => {
    const editor = typed("first\nsecond\nx");
    const up = moveLine(editor, -1);
    expect(up?.cursor).toBe(7);
    expect(up && moveLine(up, -1)?.cursor).toBe(1);
    expect(moveLine(typed("one"), -1)).toBeNull();
    expect(moveLine(editor, 1)).toBeNull();
  });

  it("folds a large paste and sends it whole; its chip goes as one", () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\r\n");
    const editor = paste(paste(typed("see "), long), "x".repeat(2000));
    expect(editor.text).toBe("see [pasted #1: 20 lines][pasted #2: 2000 characters]");
    expect(wholeText(editor)).toBe(`see ${long.replaceAll("\r\n", "\n")}${"x".repeat(2000)}`);
    expect(erase(editor, "left").text).toBe("see [pasted #1: 20 lines]");
  });

  it("does not take a chip's name inside a paste for a chip", () => {
    const first = `[pasted #2: 11 lines]${"\n".repeat(12)}`;
    const second = `B${"\n".repeat(10)}`;
    const editor = paste(paste(EMPTY_EDITOR, first), second);
    expect(wholeText(editor)).toBe(first + second);
  });

  it("takes no control characters from a paste", () => {
    expect(paste(EMPTY_EDITOR, "a\x1b[2J\tb\x07\r\nc").text).toBe("a[2J    b\nc");
  });

  it("never leaves its text", () => {
    const motions: Motion[] = [
      "left",
      "right",
      "word_left",
      "word_right",
      "line_start",
      "line_end",
      "start",
      "end",
    ];
    const step = fc.oneof(
      fc.record({ do: fc.constant("move" as const), motion: fc.constantFrom(...motions) }),
      fc.record({ do: fc.constant("erase" as const), motion: fc.constantFrom(...motions) }),
      fc.record({ do: fc.constant("insert" as const), text: fc.string({ unit: "grapheme" }) }),
      fc.record({ do: fc.constant("undo" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let editor = EMPTY_EDITOR;
        for (const one of steps) {
          if (one.do === "move") editor = move(editor, one.motion);
          else if (one.do === "erase") editor = erase(editor, one.motion);
          else if (one.do === "insert") editor = insert(editor, one.text);
          else editor = undo(editor);
          expect(editor.cursor).toBeGreaterThanOrEqual(0);
          expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
        }
      }),
    );
  });
});
